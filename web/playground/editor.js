// A scenario as text: what is wrong with it stands at its line, and the loader itself says what may stand anywhere.
import {autocompletion, closeBrackets, completionKeymap, startCompletion} from '@codemirror/autocomplete';
import {defaultKeymap, history, historyKeymap} from '@codemirror/commands';
import {yaml} from '@codemirror/lang-yaml';
import {HighlightStyle, syntaxHighlighting} from '@codemirror/language';
import {lintGutter, setDiagnostics} from '@codemirror/lint';
import {EditorState} from '@codemirror/state';
import {EditorView, keymap, lineNumbers} from '@codemirror/view';
import {tags} from '@lezer/highlight';

const colours = syntaxHighlighting(HighlightStyle.define([
  {tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)'},
  {tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic'},
  {tag: [tags.string, tags.content], color: 'var(--ink)'},
]));
const look = EditorView.theme({
  '&': {fontSize: '13.5px', border: '1px solid var(--line)', borderRadius: '8px', backgroundColor: 'var(--card)', color: 'var(--ink)'},
  '&.cm-focused': {outline: '2px solid var(--accent)'},
  '.cm-content': {fontFamily: 'ui-monospace, "DejaVu Sans Mono", monospace', caretColor: 'var(--ink)', minHeight: '180px'},
  '.cm-gutters': {backgroundColor: 'var(--card)', color: 'var(--soft)', border: 'none'},
  '.cm-tooltip': {backgroundColor: 'var(--card)', color: 'var(--ink)', border: '1px solid var(--line)'},
  '.cm-tooltip-autocomplete ul li[aria-selected]': {backgroundColor: 'var(--accent)', color: 'var(--page)'},
  '.cm-cursor': {borderLeftColor: 'var(--ink)'},
});

const probe = 'zzzz';  // what no key and no value is

// What closes the braces and brackets that a line leaves open.
function closers(line) {
  const open = [];
  for (const of of line) {
    if (of === '{' || of === '[') open.push(of === '{' ? '}' : ']');
    else if (of === open.at(-1)) open.pop();
  }
  return open.reverse().join('');
}

// What the loader would take at the cursor: put a word there that nothing is called, and read what it says.
// words: {value: {key: [word, ...]}}, of those values that the catalogue knows.
async function completion(context, ask, words) {
  const line = context.state.doc.lineAt(context.pos), before = line.text.slice(0, context.pos - line.from);
  const after = line.text.slice(context.pos - line.from);
  if (!/^\s*($|[,}\]#])/.test(after)) return null;
  const value = /(?:^|[\s{,-])([\w.]+):\s+([\w.+-]*)$/.exec(before), key = /(?:^\s*(?:- )?|[{,]\s*)([\w.]*)$/.exec(before);
  const typed = value ? value[2] : key ? key[1] : null;
  if (typed === null || (!typed && !context.explicit && !value)) return null;
  const from = context.pos - typed.length;
  if (value && words[value[1]]) return {from, options: words[value[1]], validFor: /^[\w.+-]*$/};
  const text = context.state.doc.toString();
  const asked = `${text.slice(0, from)}${probe}${value ? '' : ': 0'}${closers(line.text)}${text.slice(context.pos)}`;
  const reply = await ask(asked);
  if (reply?.status !== 'problems') return null;
  const said = JSON.parse(reply.text).find((problem) => (value ? problem.message.includes(probe) : problem.path.endsWith(probe)));
  const list = /one of (.+)$/.exec(said?.hint ?? '') ?? /one of (.+)$/.exec(said?.message ?? '');
  if (!list) return null;
  const options = list[1].replace(/[()]/g, '').split(/,? or |, /).map((label) => (value ? {label} : {label, apply: `${label}: `}));
  return {from, options, validFor: /^[\w.+-]*$/};
}

// {element, set(text), problems(list), focus()}; changed(text) is called when the reader types.
export function editor({label, text, changed, ask, words}) {
  let quiet = false;
  const view = new EditorView({
    state: EditorState.create({doc: text, extensions: [
      lineNumbers(), history(), yaml(), colours, look, lintGutter(), closeBrackets(), EditorView.lineWrapping,
      autocompletion({override: [(context) => completion(context, ask, words)]}),
      // Tab leaves the editor, as it does any field.
      keymap.of([{key: 'Ctrl-Space', run: startCompletion}, ...completionKeymap, ...defaultKeymap, ...historyKeymap]),
      EditorView.contentAttributes.of({'aria-label': label, spellcheck: 'false'}),
      EditorView.updateListener.of((update) => {
        if (update.docChanged && !quiet) changed(view.state.doc.toString());
      }),
    ]}),
  });
  return {
    element: view.dom,
    focus: () => view.focus(),
    set(other) {
      if (other === view.state.doc.toString()) return;
      quiet = true;
      view.dispatch({changes: {from: 0, to: view.state.doc.length, insert: other}});
      quiet = false;
    },
    // problems: [{line, column, path, message, hint}]
    problems(list) {
      const {doc} = view.state;
      view.dispatch(setDiagnostics(view.state, list.map(({line, column, path, message, hint}) => {
        const at = doc.line(Math.min(Math.max(line, 1), doc.lines));
        const from = Math.min(at.from + Math.max(0, (column || 1) - 1), at.to);
        return {from, to: at.to, severity: 'error', message: `${path ? `${path}: ` : ''}${message}${hint ? ` (${hint})` : ''}`};
      })));
    },
  };
}
