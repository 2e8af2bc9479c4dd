// Light and dark: what the reader's system prefers until a button says otherwise.
import {element} from './dom.js';

const redraws = new Set();

export const colours = () => {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(`--${name}`).trim();
  const dark = document.documentElement.dataset.theme === 'dark';
  return {
    dark,
    ink: of('ink'), soft: of('soft'), line: of('line'), grid: of('grid'), card: of('card'),
    good: of('good'), bad: of('bad'),
    // Told apart by those who see red and green alike (after Okabe and Ito).
    series: dark
      ? ['#56b4e9', '#ff9d5c', '#3fcf9f', '#e79ac6', '#f2c14e', '#8fa8ff', '#b7bfc7', '#c9a37a']
      : ['#0072b2', '#d55e00', '#009e73', '#b8528f', '#b07d00', '#4b5fc4', '#5f6b76', '#7a5230'],
    // Parts of a whole, which are nobody's: other hues than those of processes. Switches are `idle`'s grey everywhere.
    parts: dark
      ? ['#88ccee', '#ddcc77', '#cc6677', '#44aa99', '#aa88dd', '#999933', '#ee99aa', '#77bb66']
      : ['#33608f', '#c9a227', '#a8324a', '#44aa99', '#7a4fa3', '#7c7c1f', '#cc6677', '#117733'],
    // From little to much, by lightness, so that it survives print in grey (viridis).
    ramp: ['#440154', '#414487', '#2a788e', '#22a884', '#7ad151', '#fde725'],
  };
};

// `redraw` is called whenever the colours change, until it, or all, are forgotten.
export const onTheme = (redraw) => redraws.add(redraw);
export const forgetTheme = (redraw) => redraws.delete(redraw);
export const forgetThemes = () => redraws.clear();

export function themeButton() {
  const media = matchMedia('(prefers-color-scheme: dark)');
  const button = element('button', {type: 'button'});
  const set = (dark) => {
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    button.textContent = dark ? 'Light colours' : 'Dark colours';
    for (const redraw of redraws) redraw();
  };
  button.addEventListener('click', () => set(document.documentElement.dataset.theme !== 'dark'));
  media.addEventListener('change', () => set(media.matches));
  set(media.matches);
  return button;
}
