"""Times a network under ONNX Runtime: python3 record_onnxruntime.py MODEL.onnx --provider NAME; prints its images/s."""
import argparse
import sys
import time


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("--provider", default="CPUExecutionProvider")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=5)
    options = parser.parse_args()
    try:
        import numpy
        import onnxruntime
    except ImportError as error:
        sys.exit("this Python has no module %s" % error.name)
    if options.provider not in onnxruntime.get_available_providers():
        sys.exit("not here: onnxruntime was built without %s" % options.provider)
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = options.threads
    settings.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(options.model, settings, providers=[options.provider])
    types = {"tensor(float)": numpy.float32, "tensor(float16)": numpy.float16, "tensor(int64)": numpy.int64,
             "tensor(int32)": numpy.int32, "tensor(bool)": numpy.bool_, "tensor(uint8)": numpy.uint8}
    feed = {}
    for one in session.get_inputs():
        shape = [side if isinstance(side, int) and side > 0 else options.batch if i == 0 else 224
                 for i, side in enumerate(one.shape)]
        batch = shape[0] if shape else 1
        feed[one.name] = numpy.zeros(shape, types.get(one.type, numpy.float32))
    for _ in range(3):
        session.run(None, feed)
    times, end = [], time.monotonic() + options.seconds
    while time.monotonic() < end or not times:
        begin = time.monotonic()
        session.run(None, feed)
        times.append(time.monotonic() - begin)
    times.sort()
    print("batch %d" % batch)
    print("%.3f images/s" % (batch * len(times) / sum(times)))
    print("latency p50 %.4f ms" % (1e3 * times[len(times) // 2]))


if __name__ == "__main__":
    main()
