// The terms of the questions in plain words, for a reader who meets them for the first time.
const terms = [
  [/\bkernels?\b/i, 'kernel', 'one piece of work that the GPU is given: a layer of a network is one or a few kernels'],
  [/\bSMs?\b/, 'SM', 'streaming multiprocessor: one of the many parts of a GPU that compute; a small kernel fills only some of them'],
  [/\bp50\b/, 'p50', 'half of all images take no longer than this'],
  [/\bp99\b|99th percentile/, 'p99', '99 of 100 images take no longer than this'],
  [/\bbatch(es)?\b/i, 'batch', 'the images that a network computes in one go'],
  [/\bfp16\b|\bint8\b|\bprecision\b/, 'precision (fp32, fp16, int8)', 'how many bits each number of a network has; fewer are faster and less exact'],
  [/\blaunch(es)?\b/i, 'launch', 'what a CPU core does to hand a kernel to the GPU'],
  [/\bspin(ning|s)?\b/i, 'spin', 'to ask again and again whether the GPU is done, which keeps a core busy'],
  [/\bslices?\b|\bturns?\b/i, 'turn (time slice)', 'the few milliseconds in which the GPU works for one process alone'],
  [/\bswitch(es)?\b/i, 'switch', 'what the GPU does to go from one process to the next; nobody computes meanwhile'],
  [/\bstreams?\b/i, 'stream', 'a queue of kernels; those of several streams of one process can run at the same time'],
  [/\bMPS\b/, 'MPS', 'NVIDIA’s service that lets kernels of several processes run at the same time'],
  [/\btensor cores?\b/i, 'tensor core', 'the part of an SM that multiplies matrices'],
  [/\bissue slots?\b/i, 'issue slot', 'the chance of an SM to start an instruction in a cycle'],
  [/\btokens?\b/i, 'token', 'a word or a part of one: what a language model reads and writes'],
  [/\bdecode\b/i, 'decode step', 'the work for one more token of an answer'],
  [/\bcontainers?\b/i, 'container', 'a program in a box, with a limit on what it may use (Docker)'],
  [/\bquota\b/i, 'quota', 'the CPU time that a container may use in every tenth of a second'],
];

// The terms that a text uses: [term, meaning] each.
export const termsIn = (text) => terms.filter(([pattern]) => pattern.test(text)).map(([, term, meaning]) => [term, meaning]);
