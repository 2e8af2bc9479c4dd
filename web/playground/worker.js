// A simulator in a thread of its own: it is given the module once, then questions. Another unpacks and compiles the module.
import {sweep} from './sweep.js';
import {compiled, simulator} from './simulator.js';

let module = null, ready = null;

onmessage = async ({data}) => {
  if (data.packed) {
    postMessage({module: await compiled(data.packed)});
    return;
  }
  if (data.module) {
    ({module} = data);
    ready = simulator(module);
    return;
  }
  const {id, question} = data;
  try {
    const ask = await ready;
    const reply = question.ask === 'map' ? sweep(ask, question, (progress) => postMessage({id, progress})) : ask(question);
    postMessage({id, reply});
  } catch (error) {
    ready = simulator(module);  // what threw may have left the old one in any state
    postMessage({id, reply: {status: 'failed', text: String(error.message)}});
  }
};
