// A study: its figures over two dimensions that the reader chooses, the others held at a value.
import {clear, figure, hollow, limitLines, scale, symbol} from './chart.js';
import {distribution} from './distribution.js';
import {choice, element} from './dom.js';
import {throughputAgainstPower} from './front.js';
import {Grid} from './grid.js';
import {heatmap} from './heatmap.js';
import {budget, gradesOf, plain, title, windowed} from './names.js';
import {surface} from './surface.js';
import {distinct, figure as shown, Table} from './table.js';
import {head} from './words.js';

const status = {infeasible: 'does not fit', not_supported: 'not supported', failed: 'failed'};

// Figures of one grid and one choice of dimensions.
class View {
  constructor(data, grid, state) {
    Object.assign(this, {data, grid, table: grid.table, state});
    this.x = grid.dimensions[state.x];
    this.lines = state.lines === -1 ? null : grid.dimensions[state.lines];
    this.held = grid.dimensions.map((_, d) => (data.study.sampled || d === state.x || d === state.lines ? -1 : state.held[d]));
    this.rows = grid.rows(this.held);
    const names = grid.dimensions.map((dimension, d) => (this.held[d] === -1 || dimension.values.length < 2 ? null
      : `${dimension.columns.length > 1 ? '' : `${plain(dimension.name)} `}${dimension.labels[this.held[d]]}`)).filter(Boolean);
    this.where = names.length ? `At ${names.join(', ')}. ` : '';
  }

  has(column) { return this.rows.some((row) => this.table.at(column, row) !== null); }

  // A row for each place of the two dimensions.
  columns(...names) {
    const own = this.grid.dimensions.flatMap(({columns}) => columns);
    return this.table.pick([...own, 'status', ...names], this.rows);
  }

  // Over many values of a number an axis to scale, else a step a value.
  get scaled() { return this.x.number && this.x.values.length > 8; }
  get xAxis() {
    return this.scaled ? {type: 'value', name: this.x.name, scale: true}
      : {type: 'category', name: this.x.name, data: this.x.labels};
  }

  // The column along x, at an index of the lines.
  along(column, line) {
    const put = this.lines ? {[this.state.lines]: line} : {};
    return this.x.values.map((value, i) => {
      const y = this.grid.value(column, this.held, {...put, [this.state.x]: i});
      return this.scaled ? [value, y] : y;
    });
  }

  get lineNames() {
    return this.lines ? this.lines.values.map((value, i) => (this.lines.columns[0] === 'count'
      ? `${value} process${value === 1 ? '' : 'es'}` : this.lines.labels[i])) : [''];
  }

  linesOf(column, {about, limit, name, wide, start}) {
    return figure({
      title: name ?? title(column).replace(/,[^,]*$/, ''), about: `${this.where}${about}`, wide,
      table: () => this.columns(column),
      option: (theme) => {
        const most = limit ? Math.max(...limit.map(({value}) => value)) : null;
        return {
        tooltip: {trigger: 'axis', valueFormatter: shown},
        xAxis: this.xAxis,
        yAxis: {type: 'value', name: title(column),
          max: most ? ({max}) => Number((1.05 * Math.max(max, most)).toPrecision(2)) : null},
        series: this.lineNames.map((line, i) => ({
          type: 'line', name: line || title(column), symbolSize: 7, symbol: symbol(i),
          connectNulls: false, data: this.along(column, i),
          markLine: limit && i === 0 ? limitLines(theme, 'yAxis', limit, start) : undefined,
        })),
        };
      },
    });
  }

  // Two percentiles of one figure: a colour for each of the lines, p99 dashed and hollow.
  percentiles(figures, {name, about}) {
    return figure({
      title: `${name} over ${plain(this.x.name)}`, about: `${this.where}${about}`,
      table: () => this.columns(...figures),
      option: (theme) => ({
        tooltip: {trigger: 'axis', valueFormatter: (value) => `${shown(value)} ms`},
        xAxis: this.xAxis, yAxis: {type: 'value', name: `${name}, ms`, min: 0},
        series: this.lineNames.flatMap((line, i) => figures.map((column, k) => {
          const colour = theme.series[i % theme.series.length];
          return {type: 'line', name: `${line} ${k ? 'p99' : 'p50'}`.trim(), symbolSize: 7, symbol: k ? hollow(i) : symbol(i), connectNulls: false,
            itemStyle: {color: colour}, lineStyle: {color: colour, type: k ? 'dashed' : 'solid'}, data: this.along(column, i)};
        })),
      }),
    });
  }

  // What is held of the memory, over x: at one of the lines.
  contents() {
    const part = (row, i) => (row === undefined ? null
      : i < 2 ? this.table.at(['weights_mb', 'kv_cache_mb'][i], row)
      : this.table.at('memory_needed_mb', row) - this.table.at('weights_mb', row) - this.table.at('kv_cache_mb', row));
    const rows = (picked) => this.x.values.map((_, i) =>
      this.grid.row(this.held, {[this.state.x]: i, ...(this.lines ? {[this.state.lines]: picked[0]} : {})}));
    return figure({
      title: `What the memory holds over ${plain(this.x.name)}`,
      about: `${this.where}Weights, keys and values of language models, and the rest of the board: system, contexts, buffers, other processes.`,
      choices: this.lines ? [{label: this.lines.name, texts: this.lines.labels.map(String), selected: Math.max(0, this.state.held[this.state.lines])}] : [],
      table: (picked) => this.table.pick([...this.grid.dimensions.flatMap(({columns}) => columns), 'weights_mb', 'kv_cache_mb',
        'memory_needed_mb', 'memory_capacity_mb'], rows(picked).filter((row) => row !== undefined)),
      option: (theme, picked) => {
        const found = rows(picked), limit = this.capacity, most = Math.max(...limit.map(({value}) => value));
        return {
          tooltip: {trigger: 'axis', axisPointer: {type: 'shadow'}, valueFormatter: (value) => `${shown(value)} MB`},
          grid: {left: 72},
          xAxis: {type: 'category', name: this.x.name, data: this.x.labels},
          yAxis: {type: 'value', name: 'Memory, MB', nameGap: 54, max: ({max}) => Number((1.05 * Math.max(max, most)).toPrecision(2))},
          series: ['weights', 'keys and values', 'the rest'].map((name, i) => ({type: 'bar', stack: 'memory', name, barMaxWidth: 46,
            itemStyle: i === 2 ? {color: theme.line} : {}, data: found.map((row) => part(row, i)),
            markLine: i === 0 ? limitLines(theme, 'yAxis', limit, true) : undefined})),
        };
      },
    });
  }

  // What memories the boards of the points have.
  get capacity() {
    return distinct(this.rows.map((row) => this.table.at('memory_capacity_mb', row))).map((value) => ({value, name: `of the board: ${shown(value)} MB`}));
  }

  // All points that a sample of the grid has: a dot each, a colour a value of the lines.
  dots(column) {
    const ran = this.rows.filter((row) => this.table.at(column, row) !== null);
    const groups = this.lines ? this.lines.values.map((value, i) => [this.lines.labels[i], ran.filter((row) => this.lines.of[row] === value)])
      : [['points', ran]];
    const own = this.grid.dimensions.flatMap(({columns}) => columns);
    const words = (row) => `${own.map((name) => `${name} ${shown(this.table.at(name, row))}`).join(', ')}: ${title(column)} ${shown(this.table.at(column, row))}`;
    const x = (row) => (this.scaled ? this.x.of[row] : this.x.values.indexOf(this.x.of[row]));
    return figure({
      title: `${plain(title(column)).replace(/^./, (first) => first.toUpperCase())} over ${plain(this.x.name)}`,
      about: 'The points of the sample, whatever else they vary.',
      table: () => this.columns(column),
      option: () => ({
        tooltip: {trigger: 'item', formatter: ({data}) => words(data.row)},
        xAxis: this.xAxis, yAxis: {type: 'value', name: title(column), scale: true},
        series: groups.map(([name, rows], i) => ({type: 'scatter', name, symbolSize: 8,
          symbol: symbol(i),
          data: rows.map((row) => ({value: [x(row), this.table.at(column, row)], row})),
          words: (item) => words(rows[item])})),
      }),
    });
  }

  heat(column, {name, about}) {
    const cells = [];
    this.x.values.forEach((_, i) => this.lines.values.forEach((__, j) => {
      const row = this.grid.row(this.held, {[this.state.x]: i, [this.state.lines]: j});
      if (row === undefined) return;
      const value = this.table.at(column, row);
      cells.push({i, j, value, why: value === null ? status[this.table.at('status', row)] ?? 'none' : undefined});
    }));
    return figure(heatmap({
      title: name, about: `${this.where}${about}`, name: title(column), cells,
      x: {name: this.x.name, labels: this.x.labels.map(String)}, y: {name: this.lines.name, labels: this.lines.labels.map(String)},
      table: () => this.columns(column),
    }));
  }

  // What an ExecutionContext call is made of, over one dimension, at a value of the other.
  calls(over, fixed) {
    const parts = [['launch', 'Launch'], ['reschedule', 'Reschedule'], ['compute', 'Compute'], ['blocking', 'Blocking']];
    const columns = parts.map(([part]) => `ec_${part}_ms`);
    const along = this.grid.dimensions[over], at = fixed === -1 ? null : this.grid.dimensions[fixed];
    const rows = (picked) => along.values.map((_, i) =>
      this.grid.row(this.held, {[over]: i, ...(at ? {[fixed]: picked[0]} : {})}));
    return figure({
      title: `ExecutionContext calls over ${plain(along.name)}`,
      about: `${this.where}What one enqueue call of the host is made of, mean of all processes; and the wait for the batch after it.`,
      choices: at ? [{label: at.name, texts: at.labels, selected: Math.max(0, this.state.held[fixed])}] : [],
      table: (picked) => this.table.pick([...this.grid.dimensions.flatMap(({columns: own}) => own), ...columns, 'sync_ms'],
          rows(picked).filter((row) => row !== undefined)),
      option: (theme, picked) => {
        const found = rows(picked);
        return {
          tooltip: {trigger: 'axis', axisPointer: {type: 'shadow'}, valueFormatter: (value) => `${shown(value)} ms`},
          xAxis: {type: 'category', name: along.name, data: along.labels},
          yAxis: [{type: 'value', name: 'Enqueue call, ms'}, {type: 'value', name: 'Synchronise, ms', splitLine: {show: false}}],
          grid: {right: 64},
          series: [...parts.map(([, name], i) => ({type: 'bar', stack: 'ec', name, barMaxWidth: 46,
            data: found.map((row) => (row === undefined ? null : this.table.at(columns[i], row)))})),
          {type: 'line', name: 'Synchronise', yAxisIndex: 1, lineStyle: {type: 'dashed', color: theme.soft},
            itemStyle: {color: theme.soft}, data: found.map((row) => (row === undefined ? null : this.table.at('sync_ms', row)))}],
        };
      },
    });
  }

  // The distribution of a metric's windows, a curve for each value of one dimension at a value of the other.
  distribution(metric, name, over, fixed) {
    const along = this.grid.dimensions[over], at = fixed === -1 ? null : this.grid.dimensions[fixed];
    return figure(distribution({
      title: `${name}: distribution over ${plain(along.name)}`, name, where: this.where, interval_us: this.data.cdfs.interval_us,
      choices: at ? [{label: at.name, texts: at.labels, selected: Math.max(0, this.state.held[fixed])}] : [],
      columns: {percent: `${metric}_percent`, curve: (of) => `at or below, ${along.columns[0]} ${of}`},
      curves: (picked) => along.labels.map((label, i) => {
        const row = this.grid.row(this.held, {[over]: i, ...(at ? {[fixed]: picked[0]} : {})});
        return {name: label, shares: row === undefined ? null : this.data.cdfs[metric][row]};
      }).filter(({shares}) => shares),
    }));
  }

  get grades() { return gradesOf(this.table, this.rows); }

  // The row of the governors' points that asks what is held here.
  get governor() {
    const table = this.data.governors, [any] = this.rows;
    if (!table || any === undefined) return null;
    const own = this.grid.dimensions.flatMap(({columns}, d) => (this.held[d] === -1 ? [] : columns)).filter((column) => table.names.includes(column));
    return table.indices((row) => table.at('energy_per_image_mj', row) !== null
      && own.every((column) => table.at(column, row) === this.table.at(column, any)))[0] ?? null;
  }

  // Energy over two clocks, with the least and what the governors do.
  get energy() {
    const rows = this.rows.filter((row) => this.table.at('energy_per_image_mj', row) !== null);
    if (!rows.length) return [];
    const z = (i, j) => this.grid.value('energy_per_image_mj', this.held, {[this.state.x]: i, [this.state.lines]: j});
    const of = (dimension, row) => dimension.of[row];
    const best = rows.reduce((a, b) => (this.table.at('energy_per_image_mj', b) < this.table.at('energy_per_image_mj', a) ? b : a));
    const marks = (theme) => {
      const least = this.table.at('energy_per_image_mj', best);
      const found = [{name: 'least energy', colour: theme.good, x: of(this.x, best), y: of(this.lines, best), z: least,
        words: `Least energy: ${shown(least)} mJ an image at ${this.x.name} ${shown(of(this.x, best))}, ${
          this.lines.name} ${shown(of(this.lines, best))}`}];
      const row = this.governor;
      if (row !== null) {
        const table = this.data.governors, energy = table.at('energy_per_image_mj', row);
        const clock = (dimension, column) => Math.min(Math.max(table.at(column, row) ?? dimension.values.at(-1),
            dimension.values[0]), dimension.values.at(-1));
        const columns = [this.x, this.lines].map((dimension) => (dimension.columns.includes('gpu_mhz') ? 'mean_gpu_mhz' : 'mean_cpu_mhz'));
        found.push({name: 'governors', colour: theme.bad, x: clock(this.x, columns[0]), y: clock(this.lines, columns[1]), z: energy,
          words: `Left to the governors: ${shown(energy)} mJ an image at mean clocks of ${shown(table.at(columns[0], row))} and ${
            shown(table.at(columns[1], row))} MHz; the least of the points is ${shown(Math.abs(100 * (1 - least / energy)))} % ${
            least <= energy ? 'less' : 'more'}`});
      }
      return found;
    };
    return [
      figure({
        title: 'Energy over clocks, as a surface', height: 420,
        about: `${this.where}Energy of an image over both clocks, with the least, and where the governors end up.${this.grades}`,
        choices: [{label: 'Turn', range: [0, 360], value: 225}],
        table: () => this.columns('energy_per_image_mj', 'power_w', 'throughput'),
        option: (theme, [turn]) => surface({xs: this.x.values, ys: this.lines.values, z, marks: marks(theme), turn, theme,
          names: [this.x.name, this.lines.name, title('energy_per_image_mj')], format: shown}),
      }),
      figure({
        title: 'Energy over clocks, as a map', height: 420,
        about: `${this.where}The same from above.${this.grades}`,
        table: () => this.columns('energy_per_image_mj'),
        option: (theme) => {
          const near = (values, value) => values.reduce((a, b, i) => (Math.abs(b - value) < Math.abs(values[a] - value) ? i : a), 0);
          const cells = this.x.values.flatMap((_, i) => this.lines.values.map((__, j) => [i, j, z(i, j)])).filter((cell) => cell[2] !== null);
          return {
            legend: {data: marks(theme).map((mark) => mark.name)},
            grid: {left: 78, right: 84},
            tooltip: {},
            xAxis: {type: 'category', name: this.x.name, data: this.x.labels},
            yAxis: {type: 'category', name: this.lines.name, nameGap: 54, data: this.lines.labels},
            visualMap: scale(theme, cells.map((cell) => cell[2]), 200, 'mJ'),
            series: [{type: 'heatmap', name: title('energy_per_image_mj'), data: cells},
              ...marks(theme).map((mark, i) => ({type: 'scatter', name: mark.name, symbol: i ? 'diamond' : 'circle', symbolSize: 14,
                itemStyle: {color: mark.colour, borderColor: '#fff', borderWidth: 2}, words: () => mark.words,
                tooltip: {formatter: () => mark.words},
                data: [[near(this.x.values, mark.x), near(this.lines.values, mark.y)]]}))],
          };
        },
      }),
    ];
  }
}

// Of all points of a network where it is held.
function pareto(grid, held) {
  const {table} = grid;
  const isModel = (d) => held[d] !== -1 && grid.dimensions[d].columns.some((column) => /model$/.test(column));
  const models = held.map((_, d) => d).filter(isModel);
  const rows = grid.rows(held.map((index, d) => (isModel(d) ? index : -1)));
  const own = grid.dimensions.flatMap(({columns}) => columns);
  const work = rows.length < table.rows ? models.map((d) => grid.dimensions[d].labels[held[d]]).join(', ') : 'all';
  return throughputAgainstPower({
    title: 'Pareto front', height: 380, points: table, rows, name: 'all points', line: 'front',
    about: (all, best) => `${all.length} points that ran, of ${work}: throughput of the board against its power. On the line, ${
      best.length} that no other beats in both.`,
    words: (row) => `${own.map((column) => `${column} ${shown(table.at(column, row))}`).join(', ')}: ${
      shown(table.at('throughput', row))} images/s at ${shown(table.at('power_w', row))} W`,
    table: (best) => table.pick([...own, 'throughput', 'power_w', 'energy_per_image_mj'], best),
  });
}

export function sweep(data, page) {
  const table = new Table(data.points);
  if (data.governors) data.governors = new Table(data.governors);
  const grid = new Grid(data.study, table);
  const ran = table.indices((row) => table.at('status', row) === 'ok').length;
  page.append(head(data.words));
  const several = grid.dimensions.map((dimension, d) => d).filter((d) => grid.dimensions[d].values.length > 1);
  if (!several.length) {
    page.append(element('p', {}, 'One point: use jostle run --html for it.'));
    return;
  }
  if (!ran) {
    const problems = distinct(table.columns.problem ?? []).slice(0, 8);
    page.append(element('p', {class: 'bad'}, 'No point ran.'), ...problems.map((problem) => element('p', {}, problem)));
    return;
  }
  const wanted = (...columns) => columns.map((column) => grid.find(column)).find((d) => several.includes(d));
  const clockOf = (column) => grid.dimensions.findIndex(({number, columns}) => number && columns[0] === column);
  const gpu = clockOf('gpu_mhz'), cpu = clockOf('cpu_mhz'), clocks = several.includes(gpu) && several.includes(cpu);
  const state = {held: grid.dimensions.map(() => 0)};
  state.x = clocks ? gpu : wanted('batch', 'count', 'users', 'poisson__s', 'periodic__s', 'context', 'gpu_mhz', 'cpu_mhz') ?? several.at(-1);
  const rest = several.filter((d) => d !== state.x);
  state.lines = clocks ? cpu : rest.includes(wanted('count')) ? wanted('count')
    : rest.length ? rest.reduce((a, b) => (grid.dimensions[b].values.length <= grid.dimensions[a].values.length ? b : a)) : -1;
  state.held = opened(grid, state, data.study.best_point);

  const controls = element('div', {class: 'controls'});
  const figures = element('div', {class: 'figures'});
  page.append(controls, figures);
  const draw = () => {
    clear();
    const focus = document.activeElement?.closest?.('.controls') === controls
      ? [...controls.querySelectorAll('select')].indexOf(document.activeElement) : -1;
    controls.replaceChildren(
        choice('Across', several.map((d) => grid.dimensions[d].name), several.indexOf(state.x), (i) => {
          if (several[i] === state.lines) state.lines = state.x;
          state.x = several[i];
          draw();
        }),
        ...(rest.length ? [choice('A line for each', several.map((d) => grid.dimensions[d].name), several.indexOf(state.lines), (i) => {
          if (several[i] === state.x) state.x = state.lines;
          state.lines = several[i];
          draw();
        })] : []),
        ...several.filter((d) => !data.study.sampled && d !== state.x && d !== state.lines).map((d) =>
          choice(grid.dimensions[d].name, grid.dimensions[d].labels, state.held[d], (i) => {
            state.held[d] = i;
            draw();
          })));
    if (focus >= 0) controls.querySelectorAll('select')[focus]?.focus();
    const view = new View(data, grid, state);
    figures.replaceChildren(...drawn(view).filter(Boolean));
  };
  const drawn = (view) => {
    const over = state.x, across = state.lines;
    const clock = clocks && [over, across].includes(gpu) && [over, across].includes(cpu);
    if (data.study.sampled)
      return [...['process_throughput_mean', 'throughput', 'power_w', 'energy_per_image_mj', 'latency_p99_ms', 'memory_mb']
          .filter((column) => view.has(column)).map((column) => view.dots(column)), pareto(grid, view.held)];
    const found = [];
    if (clock) found.push(...view.energy);
    if (view.has('ttft_p50_ms')) found.push(view.percentiles(['ttft_p50_ms', 'ttft_p99_ms'], {name: 'Time to the first token',
      about: 'From the request to its first token, of the language model that waits longest.'}));
    if (view.has('itl_p50_ms')) found.push(view.percentiles(['itl_p50_ms', 'itl_p99_ms'], {name: 'Time between tokens',
      about: 'From one token of a sequence to its next.'}));
    if (view.has('tokens_per_s')) found.push(view.linesOf('tokens_per_s', {name: 'Tokens of all sequences',
      about: 'Of decode steps, a second of the run.'}));
    if (view.has('weights_mb')) {
      found.push(view.linesOf('memory_needed_mb', {limit: view.capacity, start: true, name: 'Memory that is needed',
        about: 'By the system and all processes, also where it is more than there is.'}));
      found.push(view.contents());
    }
    for (const [column, about] of [
      ['process_throughput_mean', 'Mean of the processes.'],
      ['memory_mb', 'Held by processes and system.']]) {
      if (!view.has(column)) continue;
      const name = title(column).replace(/,[^,]*$/, '');
      if (view.lines && !clock) found.push(view.heat(column, {name: `${name}, as a map`, about}));
      found.push(view.linesOf(column, {about, name: `${name} over ${plain(view.x.name)}`}));
    }
    if (view.has('power_w')) found.push(view.linesOf('power_w', {limit: limits(data, view), name: 'Power',
      about: `At the module’s input, with the limit that was set, or else the budget that the power mode is named for.${view.grades}`}));
    for (const [column, about] of [
      ['throughput', 'Of the whole board.'],
      ['energy_per_image_mj', `Energy at the module’s input for each image.${view.grades}`],
      ['energy_per_token_mj', `Energy at the module’s input for each token of all language models.${view.grades}`],
      ['latency_p99_ms', 'Of the worst process.']])
      if (view.has(column)) found.push(view.linesOf(column, {about}));
    if (view.has('ec_launch_ms')) {
      found.push(view.calls(over, across));
      if (across !== -1) found.push(view.calls(across, over));
    }
    if (data.cdfs)
      for (const [metric, name] of windowed) {
        found.push(view.distribution(metric, name, over, across));
        if (across !== -1) found.push(view.distribution(metric, name, across, over));
      }
    found.push(pareto(grid, view.held));
    return found;
  };
  draw();
}

// The slice over the two dimensions at which the page opens: that of the best point, which the answer names. Without one,
// the slice in which most points ran; among equals, the one whose throughput spreads most.
function opened(grid, {x, lines}, best) {
  const {table, dimensions} = grid, slices = new Map();
  const place = (row) => dimensions.map(({of, values}, d) => (d === x || d === lines ? 0 : values.indexOf(of[row])));
  const [winner] = table.indices((row) => best !== null && table.at('point', row) === best);
  if (winner !== undefined) return place(winner);
  for (const row of table.indices((row) => table.at('status', row) === 'ok')) {
    const held = place(row), key = held.join();
    const slice = slices.get(key) ?? {held, count: 0, low: Infinity, high: 0}, value = table.at('throughput', row) ?? table.at('tokens_per_s', row);
    slice.count += 1;
    if (value > 0) Object.assign(slice, {low: Math.min(slice.low, value), high: Math.max(slice.high, value)});
    slices.set(key, slice);
  }
  const spread = ({low, high}) => (high > 0 ? high / low : 0);
  return [...slices.values()].sort((a, b) => b.count - a.count || spread(b) - spread(a))[0].held;
}

// Of power, at the points of a view: what the scenario or the study sets, else the mode's nominal budget.
function limits(data, view) {
  const found = new Map();
  if (data.study.power_limit_w) found.set(data.study.power_limit_w, 'limit of the study');
  for (const row of view.rows) {
    const cap = view.table.at('power_cap_w', row);
    if (cap !== null) found.set(cap, 'power cap');
  }
  if (!found.size) for (const row of view.rows) {
    const nominal = budget(view.table.at('power_mode_used', row));
    if (nominal) found.set(nominal.value, `budget of mode ${nominal.mode}`);
  }
  return found.size ? [...found].map(([value, name]) => ({value, name: `${name}: ${shown(value)} W`})) : null;
}
