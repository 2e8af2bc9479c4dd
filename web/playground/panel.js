// A scenario that can be changed in two ways, as a form and as text; both show the same at any time.
import {element} from '../src/dom.js';
import {editor} from './editor.js';
import {form} from './form.js';

let count = 0;

// What stands beside the answer: open where there is room for both, folded above it on a phone.
export function folded(label, ...children) {
  return element('details', {class: 'side', open: !matchMedia('(max-width: 860px)').matches}, element('summary', {}, label), ...children);
}

// {element, show(text), put(text), problems(list)}; changed(text): by the reader, or put().
export function panel({name, catalogue, ask, words, changed}) {
  const id = `panel-${++count}`;
  const said = element('div', {class: 'problems', role: 'alert'});
  let current = '', wrong = [], written = null;
  // The side that is seen; the other one when it is chosen.
  const show = (text, from) => {
    current = text;
    const seen = sides[0].side.hidden ? written : fields;
    if (seen === from) return;
    if (seen === fields) fields.show(text);
    else written.set(text);
  };
  const put = (text, from) => {
    show(text, from);
    changed(text);
  };
  const fields = form({catalogue, change: (text) => put(text, fields)});
  const sides = [['Form', fields.element], ['Text', element('div')]].map(([label, side], i) => {
    side.id = `${id}-${i}`;
    side.setAttribute('role', 'tabpanel');
    side.setAttribute('aria-label', `${name}: ${label.toLowerCase()}`);
    const tab = element('button', {type: 'button', role: 'tab', 'aria-controls': side.id, onclick: () => choose(i)}, label);
    tab.addEventListener('keydown', ({key}) => {
      if (key !== 'ArrowLeft' && key !== 'ArrowRight') return;
      choose(1 - i);
      sides[1 - i].tab.focus();
    });
    return {tab, side};
  });
  const choose = (which) => {
    sides.forEach(({tab, side}, i) => {
      tab.setAttribute('aria-selected', String(i === which));
      tab.tabIndex = i === which ? 0 : -1;
      side.hidden = i !== which;
    });
    if (which === 1 && !written) {
      written = editor({label: `${name} as text`, text: current, ask, words, changed: (text) => put(text, written)});
      sides[1].side.append(written.element);
    }
    show(current, null);
    if (which === 1) written.problems(wrong);
  };
  choose(0);
  return {
    element: element('section', {class: 'panel', 'aria-label': name},
        element('div', {class: 'tabs', role: 'tablist', 'aria-label': name}, ...sides.map(({tab}) => tab)), said, ...sides.map(({side}) => side)),
    show: (text) => show(text, null),
    put: (text) => put(text, null),
    problems(list) {
      wrong = list;
      if (!sides[1].side.hidden) written.problems(list);
      said.replaceChildren(...list.slice(0, 6).map(({line, path, message, hint}) => element('p', {class: 'bad'},
          `${line ? `Line ${line}: ` : ''}${path ? `${path}: ` : ''}${message}${hint ? ` (${hint})` : ''}`)));
    },
  };
}
