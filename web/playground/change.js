// The difference of two scenarios: as paths and values that make one into the other, and in words.
import {stringify} from 'yaml';
import {title} from '../src/names.js';
import {changed, tree} from './document.js';

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const branch = (of) => of !== null && typeof of === 'object';

// [[path, value], ...]; undefined: the key goes.
export function difference(before, after, path = []) {
  if (same(before, after)) return [];
  const lists = Array.isArray(before) && Array.isArray(after) && before.length === after.length && before.every(branch);
  const maps = branch(before) && branch(after) && !Array.isArray(before) && !Array.isArray(after);
  if (!lists && !maps) return [[path, after]];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) =>
    difference(before[key], after[key], [...path, lists ? Number(key) : key]));
}

// A scenario's text with what `after` changes in `before`, its resolved form; comments stay where entries do.
export function applied(text, before, after) {
  const own = tree(text)?.processes;
  if (!Array.isArray(own) || own.length !== before.processes.length || before.processes.length !== after.processes.length)
    return stringify(after);
  return difference(before, after).reduce((of, [path, value]) => changed(of, path, value), text);
}

const known = {count: 'processes', 'clocks.gpu': 'GPU clock', 'clocks.cpu': 'CPU clock', 'clocks.emc': 'memory clock', 'run.seed': 'seed',
  'power_cap.budget': 'power cap', mps: 'MPS', host_cores: 'cores', device: 'board'};

// A key as people call it: "processes.0.batch" is the batch of the first entry.
export function called(key, text) {
  const process = /^processes\.(\d+)(?:\.(.+))?$/.exec(key), of = process ? process[2] ?? 'entry' : key;
  const name = known[of] ?? title(of.replaceAll('.', ' '));
  if (!process) return `${name[0].toUpperCase()}${name.slice(1)}`;
  const entry = tree(text)?.processes?.[process[1]];
  return `${name[0].toUpperCase()}${name.slice(1)} of ${entry?.name ?? entry?.model ?? `entry ${Number(process[1]) + 1}`}`;
}

const said = (value) => (value === undefined ? 'none' : branch(value) ? JSON.stringify(value).replace(/["{}]/g, '').replaceAll(':', ': ') : String(value));

// What B does otherwise than A, in words: "Processes of resnet50: 2 → 3"; at most two of them.
export function inWords(a, b) {
  const [before, after] = [a, b].map(tree);
  if (!before || !after) return '';
  const all = difference(before, after).filter(([[key]]) => key !== 'name');
  const words = all.slice(0, 2).map(([path, value]) => {
    const old = path.reduce((of, key) => of?.[key], before);
    return Array.isArray(old ?? value) ? `${called(path.join('.'), a)} changed` : `${called(path.join('.'), a)}: ${said(old ?? (path.at(-1) === 'count' || path.at(-1) === 'batch' ? 1 : undefined))} → ${said(value)}`;
  });
  return all.length ? `${words.join(', ')}${all.length > 2 ? ` and ${all.length - 2} more` : ''}` : 'the same';
}

// One process more of the last network: the change to begin with.
export function oneMore(text) {
  const all = tree(text)?.processes, i = Array.isArray(all) ? all.findLastIndex((of) => typeof of?.model === 'string') : -1;
  return i < 0 ? text : changed(text, ['processes', i, 'count'], (all[i].count ?? 1) + 1);
}
