// The questions of `jostle new`: which board, what comes in, which models, which language, what must hold. The answers
// make a scenario.
import {element} from '../src/dom.js';

let ids = 0;

// {element}; made(text): the reader wants this scenario. ask(question): the simulator's reply.
export function questions({catalogue, ask, made}) {
  const {templates} = catalogue, said = element('p', {class: 'bad', role: 'alert'});
  const field = (label, input) => {
    input.id = `new-${++ids}`;
    return element('div', {class: 'field'}, element('label', {for: input.id}, label), input);
  };
  const choices = (texts) => element('select', {}, ...texts.map(([value, words]) => element('option', {value}, words)));
  const text = () => element('input', {type: 'text', autocomplete: 'off', spellcheck: 'false'});
  const kind = choices(templates.map(({name}) => [name, name])), board = choices(catalogue.devices.map(({name}) => [name, name]));
  const language = choices([['', 'Python'], ['cpp', 'C++']]), comes = text(), models = text(), limit = text();
  const about = element('p', {class: 'soft'});
  const rows = {comes: field('At what rate', comes), models: field('Which models', models), language: field('Written in', language)};
  const show = () => {
    const of = templates.find(({name}) => name === kind.value);
    about.textContent = of.about;
    for (const [key, input] of Object.entries({board, comes, models, limit})) input.value = of[key];
    rows.comes.hidden = !of.comes;
    rows.language.hidden = !of.languages;
  };
  kind.addEventListener('change', show);
  const write = async () => {
    const given = {template: kind.value, board: board.value, comes: comes.value.trim(), models: models.value, limit: limit.value.trim(), cpp: language.value === 'cpp'};
    const reply = await ask({ask: 'new', ...given});
    if (!reply) return;
    said.textContent = reply.status === 'answered' ? '' : reply.text;
    if (reply.status === 'answered') made(JSON.parse(reply.text).text);
  };
  show();
  return {element: element('details', {class: 'new'}, element('summary', {}, 'New: five questions'),
      field('What comes in', kind), about, field('Which board', board), rows.comes, rows.models, rows.language,
      field('What must hold', limit), said, element('button', {type: 'button', onclick: write}, 'Write the scenario'))};
}
