# Times products of language models in fp16 and in fp8 (e4m3, a scale a tensor) on a GPU:
#
#   python3 measure.py > products.csv
#
# Weights come from DRAM: copies of more than 300 MB take turns. Each time is the median of five replays of a CUDA graph
# of all turns, divided by their number, so no launch of a host is in it.
import statistics
import torch

SHAPES = [  # network, product, K, N
    ("qwen2.5_0.5b", "gate_up", 896, 9728), ("qwen2.5_0.5b", "down", 4864, 896),
    ("qwen2.5_1.5b", "qkv", 1536, 2048), ("qwen2.5_1.5b", "out", 1536, 1536),
    ("qwen2.5_1.5b", "gate_up", 1536, 17920), ("qwen2.5_1.5b", "down", 8960, 1536),
    ("qwen2.5_7b", "qkv", 3584, 4608), ("qwen2.5_7b", "out", 3584, 3584),
    ("qwen2.5_7b", "gate_up", 3584, 37888), ("qwen2.5_7b", "down", 18944, 3584),
]
ROWS = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096]


def replayed_us(run, turns):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for i in range(turns):
            run(i)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(turns):
            run(i)
    times = []
    for _ in range(7):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        times.append(1e3 * begin.elapsed_time(end) / turns)
    return statistics.median(times[2:])


print("model,product,depth,columns,rows,precision,us")
for model, product, depth, columns in SHAPES:
    for precision, size in (("fp16", 2), ("fp8", 1)):
        turns = max(20, -(-300_000_000 // (depth * columns * size)))
        weights = [torch.randn(columns, depth, device="cuda", dtype=torch.float16) * 0.05 for _ in range(turns)]
        if precision == "fp8":
            weights = [each.to(torch.float8_e4m3fn) for each in weights]
        one = torch.tensor(1.0, device="cuda")
        for rows in ROWS:
            left = torch.randn(rows, depth, device="cuda", dtype=torch.float16)
            if precision == "fp8":
                left = left.to(torch.float8_e4m3fn)
                run = lambda i: torch._scaled_mm(left, weights[i].t(), scale_a=one, scale_b=one, out_dtype=torch.float16,
                                                 use_fast_accum=True)
            else:
                run = lambda i: torch.mm(left, weights[i].t())
            print(f"{model},{product},{depth},{columns},{rows},{precision},{replayed_us(run, turns):.3f}", flush=True)
        del weights
