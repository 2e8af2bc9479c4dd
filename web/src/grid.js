// A study's points as a grid: dimensions with their values, and the points at given ones.
import {distinct, figure as shown} from './table.js';
import {title} from './names.js';

// Short names for values that are lists or mappings: what not all of them say.
function labelled(values) {
  const parse = (value) => {
    try {
      return /^[[{]/.test(value) ? JSON.parse(value) : null;
    } catch {
      return null;
    }
  };
  const parsed = values.map(parse);
  if (parsed.some((value) => value === null)) return values.map(shown);
  const said = parsed.map((value) => [value].flat().map((one) => Object.entries(one).map(([key, of]) =>
    (key === 'count' ? `× ${of}` : typeof of === 'object' ? JSON.stringify(of) : String(of)))));
  const common = said.flat()[0].filter((word) => said.flat().every((words) => words.includes(word)));
  const short = said.map((ones) => ones.map((words) => words.filter((word) => !common.includes(word)).join(' ')).join(' + '));
  return short.every((label) => label) && new Set(short).size === short.length ? short : values.map(shown);
}

export class Grid {
  // study: {dimensions: [[column, ...], ...]}; table: the points.
  constructor(study, table) {
    this.table = table;
    this.dimensions = study.dimensions.map((columns) => {
      const of = (row) => columns.map((column) => table.at(column, row));
      const label = (row) => of(row).join(' · ');
      const number = columns.length === 1 && table.columns[columns[0]].every((value) => typeof value === 'number');
      const all = Array.from({length: table.rows}, (_, row) => (number ? table.at(columns[0], row) : label(row)));
      const values = distinct(all);
      return {columns, name: columns.map(title).join(' · '), number, of: all, values, labels: labelled(values)};
    });
  }

  find(column) { return this.dimensions.findIndex(({columns}) => columns.includes(column)); }

  // Rows whose dimensions have the values with these indices; -1 for any.
  rows(indices) {
    return this.table.indices((row) => this.dimensions.every((dimension, d) =>
      indices[d] === -1 || dimension.of[row] === dimension.values[indices[d]]));
  }

  // As rows(), with some of the indices put in place: {dimension: index}.
  at(indices, put) {
    const wanted = [...indices];
    for (const [d, index] of Object.entries(put)) wanted[d] = index;
    return this.rows(wanted);
  }

  value(column, indices, put) {
    const [row] = this.at(indices, put);
    return row === undefined ? null : this.table.at(column, row);
  }
}
