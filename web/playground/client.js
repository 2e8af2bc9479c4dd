// Simulators in workers, a lane for each kind of question. In a lane only the latest question counts.

const patience = 150;  // ms that a question which nobody waits for any longer may still take

export class Simulators {
  // packed: the simulator as the page has it; source: the worker's script.
  constructor(packed, source) {
    this.url = URL.createObjectURL(new Blob([source], {type: 'text/javascript'}));
    this.lanes = new Map();
    this.count = 0;
    this.module = this.compiled(packed);
  }

  // Unpacked and compiled in a worker of its own, which no later question ends.
  compiled(packed) {
    const worker = new Worker(this.url);
    worker.postMessage({packed});
    return new Promise((resolve) => {
      worker.onmessage = ({data}) => {
        worker.terminate();
        resolve(data.module);
      };
    });
  }

  // The reply {status, text}; null if a later question of the lane came before it. progress(cells): of a map.
  ask(lane, question, progress) {
    const of = this.lanes.get(lane) ?? this.lanes.set(lane, {}).get(lane);
    return new Promise((resolve) => {
      of.next?.resolve(null);
      of.next = {question, resolve, progress};
      if (!of.current) this.begin(of);
      else of.timer ??= setTimeout(() => this.end(of), Math.max(0, patience - (performance.now() - of.began)));
    });
  }

  // Every question is answered, one after the other.
  queue(question) {
    const before = this.queued ?? Promise.resolve();
    this.queued = before.then(() => this.ask('queue', question));
    return this.queued;
  }

  // Ends what the lane is doing.
  stop(lane) {
    const of = this.lanes.get(lane);
    if (!of) return;
    of.next?.resolve(null);
    of.next = null;
    if (of.current) this.end(of);
  }

  // Ready before the first question is.
  warm(lane) {
    const of = this.lanes.get(lane) ?? this.lanes.set(lane, {}).get(lane);
    of.worker ??= this.start(of);
  }

  start(of) {
    const worker = new Worker(this.url);
    worker.onmessage = ({data}) => {
      const {current} = of;
      if (data.id !== current?.id) return;
      if (data.progress) {
        current.progress?.(data.progress);
        return;
      }
      of.current = null;
      current.resolve(data.reply);
      this.begin(of);
    };
    this.module.then((module) => worker.postMessage({module}));
    return worker;
  }

  begin(of) {
    clearTimeout(of.timer);
    of.timer = null;
    if (!of.next) return;
    const {question, resolve, progress} = of.next;
    of.next = null;
    of.worker ??= this.start(of);
    of.current = {id: ++this.count, resolve, progress};
    of.began = performance.now();
    const {worker, current: {id}} = of;
    this.module.then(() => worker.postMessage({id, question}));
  }

  end(of) {
    of.worker.terminate();
    of.worker = null;
    of.current?.resolve(null);
    of.current = null;
    this.begin(of);
  }
}
