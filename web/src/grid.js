// A study's points as a grid: dimensions with their values, and the points at given ones.
import {distinct} from './table.js';
import {title} from './names.js';

export class Grid {
  // study: {dimensions: [[column, ...], ...]}; table: the points.
  constructor(study, table) {
    this.table = table;
    this.dimensions = study.dimensions.map((columns) => {
      const of = (row) => columns.map((column) => table.at(column, row));
      const label = (row) => of(row).join(' · ');
      const number = columns.length === 1 && table.columns[columns[0]].every((value) => typeof value === 'number');
      const all = Array.from({length: table.rows}, (_, row) => (number ? table.at(columns[0], row) : label(row)));
      return {columns, name: columns.map(title).join(' · '), number, of: all, values: distinct(all)};
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
