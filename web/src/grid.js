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
    const indices = this.dimensions.map(({of, values}) => {
      const index = new Map(values.map((value, i) => [value, i]));
      return of.map((value) => index.get(value));
    });
    this.places = new Map();  // indices of the dimensions to the first row there
    for (let row = table.rows - 1; row >= 0; --row) this.places.set(indices.map((of) => of[row]).join(), row);
  }

  find(column) { return this.dimensions.findIndex(({columns}) => columns.includes(column)); }

  // Rows whose dimensions have the values with these indices; -1 for any.
  rows(indices) {
    return this.table.indices((row) => this.dimensions.every((dimension, d) =>
      indices[d] === -1 || dimension.of[row] === dimension.values[indices[d]]));
  }

  // The row at the indices, with some of them put in place: {dimension: index}; undefined where there is none.
  row(indices, put) {
    return this.places.get(Object.assign([...indices], put).join());
  }

  value(column, indices, put) {
    const row = this.row(indices, put);
    return row === undefined ? null : this.table.at(column, row);
  }
}
