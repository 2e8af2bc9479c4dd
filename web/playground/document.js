// A scenario's text and what the form changes in it: comments and everything else stay as they were written.
import {parseDocument} from 'yaml';

const style = {flowCollectionPadding: false, lineWidth: 0};

// The text as a tree; null while it is not YAML, or no mapping.
export function tree(text) {
  const document = parseDocument(text);
  if (document.errors.length) return null;
  const value = document.toJS();
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : null;
}

// The text with the value at a path, ['processes', 0, 'batch']; undefined removes it, and a mapping that it leaves empty.
export function changed(text, path, value) {
  const document = parseDocument(text);
  if (value === undefined) {
    document.deleteIn(path);
    const parent = path.slice(0, -1);
    if (parent.length && typeof path.at(-1) === 'string' && document.getIn(parent)?.items?.length === 0) document.deleteIn(parent);
  } else if (typeof value === 'object') {
    document.setIn(path, document.createNode(value, {flow: true}));
  } else {
    const parent = path.slice(0, -1);
    if (parent.length && document.getIn(parent) === undefined) document.setIn(parent, document.createNode({}, {flow: true}));
    document.setIn(path, value);
  }
  return document.toString(style);
}

// With another entry at the end of `processes`, or without the one at an index.
export function withProcess(text, entry) {
  const document = parseDocument(text);
  const node = document.createNode(entry, {flow: true});
  if (document.has('processes') && document.get('processes')?.items) document.addIn(['processes'], node);
  else document.set('processes', document.createNode([entry]));
  return document.toString(style);
}
export const withoutProcess = (text, index) => changed(text, ['processes', index], undefined);
