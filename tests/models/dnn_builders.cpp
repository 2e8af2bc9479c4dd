// The built-in networks: their published sizes, single layers, and the laws that any network obeys.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "models/dnn/builders/described.hpp"
#include "models/dnn/builders/description.hpp"
#include "models/dnn/builders/layers.hpp"
#include "models/dnn/graph/input_sides.hpp"
#include "models/dnn/model_names.hpp"

namespace jostle::dnn {
namespace JOSTLE_FILE {

using Node = Network::Node;

Network build(std::string_view name) {
  const Model* const model = find_model(name);
  return model->build(model->default_input);
}

std::vector<Node> nodes(const Network& network) {
  std::vector<Node> all(network.size());
  for (Node node = 0; node < all.size(); ++node) all[node] = node;
  return all;
}

const Layer& layer(const Network& network, std::string_view name) {
  for (const Node node : nodes(network)) {
    if (network.layer(node).name == name) return network.layer(node);
  }
  throw std::out_of_range("no layer " + std::string(name));
}

struct ReferenceValue {
  const char* name;
  std::int64_t parameters;
  double gmacs;
};

// - torchvision: the model pages (num_params; "GFLOPS", which are MACs), at the default input.
// - timm: the model cards of deit_tiny_patch16_224 and vit_small_patch16_224; operations are those of the
//   papers' formula, see give_a_vision_transformer_what_its_formula_says, which the cards round to 1.3
//   and 4.6 GMAC.
// - Ultralytics: parameters as its model summary counts them (norms not yet folded into convolutions, and the
//   16 constants of DFL); operations of its table of results at 640, halved, which are those of convolutions.
// - darknet: the size of yolov4-tiny.weights, 24 251 276 bytes, without its header of 20 and without the 3104
//   means and variances of norms, which are statistics; 6.910 BFLOP at 416, halved.
// - transformers: the classifiers of two classes, which cards round to 4.4 M, 67 M, 110 M and 336 M, and the
//   encoder of Whisper with its 1500 positions, as the library counts them; operations as PyTorch's counter
//   (torch.utils.flop_counter) has them.
// - YOLOX: its table of results, 9.0 M and 26.8 GFLOP at 640; parameters to the last one as its counter has
// them.
// - Keras: the trainable parameters of MobileNet and of MobileNetV2 at width 0.5; MACs of the papers: 41,
// 149,
//   325 and 569 million, and 97 million.
// - NVIDIA publishes no counts of its SSD300: these are the sums over the layers of its definition, by hand.
// - Pytorch-UNet: of two classes; for its operations see give_a_unet_the_size_that_openvino_publishes.
constexpr std::array<ReferenceValue, 87> published{
    {{"alexnet", 61'100'840, 0.714},
     {"bert_base", 109'483'778, 11.174},
     {"bert_large", 335'143'938, 39.461},
     {"bert_tiny", 4'386'178, 0.0587},
     {"convnext_base", 88'591'464, 15.355},
     {"convnext_tiny", 28'589'128, 4.456},
     {"deit_tiny", 5'717'416, 1.254},
     {"densenet121", 7'978'856, 2.834},
     {"densenet161", 28'681'000, 7.728},
     {"densenet169", 14'149'480, 3.360},
     {"densenet201", 20'013'928, 4.291},
     {"distilbert", 66'955'010, 5.587},
     {"efficientnet_b0", 5'288'548, 0.386},
     {"efficientnet_b1", 7'794'184, 0.687},
     {"efficientnet_b2", 9'109'994, 1.088},
     {"efficientnet_b3", 12'233'232, 1.827},
     {"efficientnet_b4", 19'341'616, 4.394},
     {"efficientnet_v2_s", 21'458'488, 8.366},
     {"googlenet", 6'624'904, 1.498},
     // Without the auxiliary classifier: convolutions 768 to 128 of 1 x 1 and 128 to 768 of 5 x 5 with their
     // norms, and 768 to 1000. It has no part in the operations.
     {"inception_v3", 27'161'264 - (768 * 128 + 256 + 128 * 768 * 25 + 1536 + 768 * 1000 + 1000), 5.713},
     {"mnasnet0_5", 2'218'512, 0.104},
     {"mnasnet0_75", 3'170'208, 0.215},
     {"mnasnet1_0", 4'383'312, 0.314},
     {"mnasnet1_3", 6'282'256, 0.526},
     {"mobilenet_v1", 4'231'976, 0.569},
     {"mobilenet_v1_025", 470'072, 0.041},
     {"mobilenet_v1_050", 1'331'592, 0.149},
     {"mobilenet_v1_075", 2'585'560, 0.325},
     {"mobilenet_v2", 3'504'872, 0.301},
     {"mobilenet_v2_050", 1'968'680, 0.097},
     {"mobilenet_v3_large", 5'483'032, 0.217},
     {"mobilenet_v3_small", 2'542'856, 0.057},
     {"mobilevit_s", 5'578'632, 2.01},  // the paper's 2.0; timm's card has 5.6 M parameters
     {"regnet_y_3_2gf", 19'436'338, 3.176},
     {"resnet18", 11'689'512, 1.814},
     {"resnet34", 21'797'672, 3.664},
     {"resnet50", 25'557'032, 4.089},
     {"resnet101", 44'549'160, 7.801},
     {"resnet152", 60'192'808, 11.514},
     {"resnext50_32x4d", 25'028'904, 4.230},
     {"shufflenet_v2_x0_5", 1'366'792, 0.0405},  // published as 0.04
     {"shufflenet_v2_x1_0", 2'278'604, 0.145},
     {"shufflenet_v2_x1_5", 3'503'624, 0.296},
     {"shufflenet_v2_x2_0", 7'393'996, 0.583},
     {"squeezenet1_0", 1'248'424, 0.819},
     {"squeezenet1_1", 1'235'496, 0.349},
     {"ssd300", 35'641'826, 34.858},
     {"ssd300_resnet50", 22'894'902, 20.151},
     {"swin_t", 28'288'354, 4.491},
     {"unet", 31'037'698, 192.69},
     {"vgg11", 132'863'336, 7.609},
     {"vgg11_bn", 132'868'840, 7.609},
     {"vgg13", 133'047'848, 11.308},
     {"vgg13_bn", 133'053'736, 11.308},
     {"vgg16", 138'357'544, 15.470},
     {"vgg16_bn", 138'365'992, 15.470},
     {"vgg19", 143'667'240, 19.632},
     {"vgg19_bn", 143'678'248, 19.632},
     {"vit_base", 86'567'656, 17.564},
     {"vit_large", 304'326'632, 61.555},
     {"vit_small", 22'050'664, 4.599},
     {"whisper_base", 20'590'592, 43.684},
     {"whisper_tiny", 8'208'384, 18.469},
     {"wide_resnet50_2", 68'883'240, 11.398},
     {"yolo11l", 25'372'160, 86.9 / 2},
     {"yolo11m", 20'114'688, 68.0 / 2},
     {"yolo11n", 2'624'080, 6.5 / 2},
     {"yolo11n_pose", 2'874'462, 7.4 / 2},
     {"yolo11s", 9'458'752, 21.5 / 2},
     {"yolo11x", 56'966'176, 194.9 / 2},
     {"yolo12l", 26'450'784, 88.9 / 2},
     {"yolo12m", 20'199'168, 67.5 / 2},
     {"yolo12n", 2'602'288, 6.5 / 2},
     {"yolo12s", 9'284'096, 21.4 / 2},
     {"yolov4_tiny", (24'251'276 - 20) / 4 - 2 * 3104, 6.910 / 2},
     {"yolov5m", 21'190'557, 49.0 / 2},
     {"yolov5n", 1'872'157, 4.5 / 2},
     {"yolov5s", 7'235'389, 16.5 / 2},
     {"yolov8l", 43'691'520, 165.2 / 2},
     {"yolov8m", 25'902'640, 78.9 / 2},
     {"yolov8n", 3'157'200, 8.7 / 2},
     {"yolov8n_pose", 3'295'470, 9.2 / 2},
     {"yolov8n_seg", 3'409'968, 12.6 / 2},
     {"yolov8s", 11'166'560, 28.6 / 2},
     {"yolov8s_seg", 11'821'056, 42.6 / 2},
     {"yolov8x", 68'229'648, 257.8 / 2},
     {"yolox_s", 8'968'255, 26.8 / 2}}};

std::int64_t macs_of(const Network& network, std::initializer_list<Op> ops) {
  std::int64_t sum = 0;
  for (const Node node : nodes(network)) {
    const Layer& one = network.layer(node);
    if (std::ranges::find(ops, one.op) != ops.end()) sum += one.macs();
  }
  return sum;
}

std::int64_t normed_channels(const Network& network) {
  std::int64_t sum = 0;
  for (const Node node : nodes(network))
    if (network.layer(node).op == Op::batch_norm) sum += network.layer(node).out.channels;
  return sum;
}

TEST(Builders, give_the_published_parameters_and_operations) {
  for (const ReferenceValue& row : published) {
    const Network network = build(row.name);
    const bool convolutions = std::string_view(row.name).starts_with("yolo");
    // Ultralytics counts a transposed convolution at each position that it writes, four times as many.
    const std::int64_t macs = convolutions
                                  ? macs_of(network, {Op::conv}) + 4 * macs_of(network, {Op::conv_transpose})
                                  : network.macs();
    EXPECT_EQ(network.parameters(), row.parameters) << row.name;
    EXPECT_NEAR(static_cast<double>(macs) / 1e9, row.gmacs, 0.01 * row.gmacs) << row.name;
  }
}

// MobileNetV2's widths as TensorFlow's table has them (research/slim/nets/mobilenet: millions of
// multiply-adds and of parameters, with a class more).
TEST(Builders, give_the_widths_of_mobilenet_v2_what_their_table_says) {
  struct Width {
    const char* name;
    double mmacs, parameters;
  };
  for (const Width& row : {Width{"mobilenet_v2_035", 59, 1.66}, Width{"mobilenet_v2_075", 209, 2.61},
                           Width{"mobilenet_v2_130", 509, 5.34}, Width{"mobilenet_v2_140", 582, 6.06}}) {
    const Network network = build(row.name);
    EXPECT_NEAR(static_cast<double>(network.macs()) / 1e6, row.mmacs, 0.01 * row.mmacs) << row.name;
    EXPECT_NEAR(static_cast<double>(network.parameters()) / 1e6, row.parameters, 0.02 * row.parameters)
        << row.name;
  }
}

// Parameters in millions and GMAC, as timm's tables of results have them (benchmark-infer-*.csv, with RepViT
// and FastViT folded for inference; EdgeNeXt's in the comment of its definition). Its counter takes a norm of
// channels for two operations an element, and EdgeNeXt computes its positions, 64 numbers to 96 channels,
// anew.
struct TimmValue {
  const char* name;
  int input;
  double parameters, gmacs;
};
constexpr std::array timm_tables{TimmValue{"convnextv2_nano", 384, 15.62, 7.22},
                                 TimmValue{"edgenext_small", 256, 5.59, 1.26059},
                                 TimmValue{"fastvit_t8", 256, 4.00, 0.69},
                                 TimmValue{"mobilenetv4_conv_medium", 384, 9.72, 2.46},
                                 TimmValue{"mobilenetv4_conv_small", 320, 3.77, 0.39},
                                 TimmValue{"repvit_m1", 224, 5.07, 0.82},
                                 TimmValue{"sam2_hiera_tiny", 896, 26.85, 99.86},
                                 TimmValue{"vit_small_patch16_dinov3", 256, 21.59, 6.26}};

TEST(Builders, give_described_networks_the_sizes_of_timms_tables) {
  for (const TimmValue& row : timm_tables) {
    const Network network = find_model(row.name)->build(row.input);
    double macs = static_cast<double>(network.macs());
    for (const Node node : nodes(network)) {
      const Layer& one = network.layer(node);
      if (one.op == Op::batch_norm) macs += 2.0 * static_cast<double>(one.out.elements());
    }
    if (std::string_view(row.name) == "edgenext_small") macs += 64.0 * 96 * 32 * 32;
    EXPECT_NEAR(static_cast<double>(network.parameters()) / 1e6, row.parameters, 0.006) << row.name;
    EXPECT_NEAR(macs / 1e9, row.gmacs, std::max(0.01 * row.gmacs, 0.005)) << row.name;  // or as it is rounded
  }
}

TEST(Builders, give_yolo26_the_counts_of_its_maker_with_the_head_that_only_trains) {
  // yolo26.yaml counts two heads, of which one is left when the network is exported; the table of results has
  // the GFLOP of what is left, at 640.
  struct Row {
    const char* name;
    std::int64_t parameters;
    double gflop;
  };
  for (const Row& row :
       {Row{"yolo26n", 2'572'280, 5.4}, Row{"yolo26s", 10'009'784, 20.7}, Row{"yolo26m", 21'896'248, 68.2},
        Row{"yolo26l", 26'299'704, 86.4}, Row{"yolo26x", 58'993'368, 193.9}}) {
    const Network network = build(row.name);
    std::int64_t head = 0;
    for (const Node node : nodes(network))
      if (network.layer(node).name.find("detect_level") != std::string::npos)
        head += network.layer(node).parameters();
    EXPECT_EQ(network.parameters() + head, row.parameters) << row.name;
    EXPECT_NEAR(2e-9 * static_cast<double>(macs_of(network, {Op::conv})), row.gflop, 0.01 * row.gflop);
  }
}

TEST(Builders, give_rtdetr_the_parameters_of_its_summary_and_the_operations_of_its_paper) {
  // Ultralytics' summary of rtdetr-l counts what only trains: the embedding of classes, the scores of five of
  // six layers, and a second branch of 1 x 1 in each of twelve RepConvs, all with norms instead of a bias.
  const Network network = build("rtdetr_l");
  const std::int64_t branches = 12 * (256 * 256 + 2 * 256), norms = 12 * 256;
  EXPECT_EQ(network.parameters() + 80 * 256 + 5 * (256 * 80 + 80) + branches + norms, 32'970'476);
  // The paper's 110 GFLOP at 640 are with those branches: three RepConvs on each of 40, 80, 40 and 20.
  const double in_branches = 3.0 * 256 * 256 * (1600 + 6400 + 1600 + 400);
  EXPECT_NEAR(2e-9 * (static_cast<double>(network.macs()) + in_branches), 110, 1.1);
}

TEST(Builders, give_the_keypoints_of_80_classes_the_parameters_of_its_file) {
  // yolo11-pose.yaml counts 80 classes; the network that is published knows people alone.
  EXPECT_EQ(described_network("yolo11n_pose_of_80", 640).parameters(), 2'908'507);
}

TEST(Builders, give_rfdetr_the_parameters_of_its_table_and_the_operations_of_its_paper) {
  // roboflow/rf-detr: millions of parameters, of which twelve of thirteen groups of queries with their first
  // stage, and the token of masks, only train; one norm is shared by four features.
  const auto group = [](std::int64_t n) {
    return (n * n + n + 2 * n) + (n * 91 + 91) + (2 * (n * n + n) + n * 4 + 4) + 300 * (n + 4);
  };
  struct Row {
    const char* name;
    double parameters, gflop;  // the paper's (Robinson et al., 2025); 0: unknown here
    std::int64_t wide = 384, n = 256;
  };
  for (const Row& row :
       {Row{"rfdetr_nano", 30.5, 31.9}, Row{"rfdetr_small", 32.1, 59.8}, Row{"rfdetr_medium", 33.7, 78.8},
        Row{"rfdetr_large", 33.9, 125.6}, Row{"rfdetr_xlarge", 126.4, 0, 768, 512},
        Row{"rfdetr_2xlarge", 126.9, 0, 768, 512}}) {
    const std::int64_t all = build(row.name).parameters() + 12 * group(row.n) + row.wide - 3 * 2 * row.wide;
    EXPECT_NEAR(static_cast<double>(all) / 1e6, row.parameters, 0.05) << row.name;
    if (row.gflop > 0) {
      EXPECT_NEAR(2e-9 * static_cast<double>(build(row.name).macs()), row.gflop, 0.01 * row.gflop)
          << row.name;
    }
  }
  // Its first README has 29.0 M, 1.5 % more than one group of queries, the last block, which nothing reads,
  // and the rest; the modules of its first commit have no more than these, or 3.6 M more with all groups.
  const std::int64_t unread = 12 * 384 * 384 + 9 * 384 + 4 * 384 + 6 * 384;
  EXPECT_NEAR(static_cast<double>(build("rfdetr_base").parameters() + unread) / 1e6, 29.0, 0.6);
}

TEST(Builders, give_encoders_of_SAM_the_sizes_of_their_tables) {
  // MobileSAM: 9.66 M with a decoder of masks of 3.876. EfficientViT-SAM-L0: 34.8 M with SAM's decoder, which
  // has 4,058,340, and the encoder of prompts, which has 6,220; 35 GMAC.
  const Network mobile = build("mobile_sam"), efficient = build("efficientvit_sam_l0");
  EXPECT_NEAR(static_cast<double>(mobile.parameters()) / 1e6, 9.66 - 3.876, 0.058);
  EXPECT_NEAR(static_cast<double>(efficient.parameters() + 4'058'340 + 6'220) / 1e6, 34.8, 0.05);
  EXPECT_NEAR(static_cast<double>(efficient.macs()) / 1e9, 35, 0.35);
}

TEST(Builders, give_depth_anything_the_parameters_of_its_checkpoint) {
  // The checkpoint has a token of masks and the first unit of the coarsest fusion, which nothing reads, and
  // one norm, which four levels share.
  const Network network = build("depth_anything_v2_small");
  const std::int64_t unread = 384 + 2 * (9 * 64 * 64 + 64), shared = 3 * 2 * 384;
  EXPECT_EQ(network.parameters() + unread - shared, 24'785'089);
  const std::int64_t n = 37 * 37 + 1, h = 384;
  EXPECT_EQ(macs_of(network, {Op::linear, Op::matmul}), 12 * (12 * n * h * h + 2 * n * n * h));
}

TEST(Builders, give_larger_whispers_the_parameters_of_their_encoders) {
  // transformers counts 241 734 912 and 808 878 080 in all. The decoder has a table of words, 448 positions,
  // and layers of two attentions and a feed-forward part, whose keys have no bias.
  const auto decoder = [](std::int64_t words, std::int64_t layers, std::int64_t width) {
    return (words + 448) * width + layers * (16 * width * width + 17 * width) + 2 * width;
  };
  EXPECT_EQ(build("whisper_small").parameters(), 241'734'912 - decoder(51'865, 12, 768));
  EXPECT_EQ(build("whisper_large_v3_turbo").parameters(), 808'878'080 - decoder(51'866, 4, 1280));
}

TEST(Builders, give_pi05_the_parameters_of_its_parts) {
  // PaliGemma of 2,923,466,480 parameters has a Gemma whose table has 257,216 words of 2048, an encoder of
  // 412,442,352 and a layer behind it; openpi's comment has 311 M of the expert. RMSNorms have no bias.
  constexpr std::int64_t words = 257'216 * 2048, encoder = 412'442'352, between = 1152 * 2048 + 2048;
  EXPECT_EQ(build("pi05_vision").parameters(), encoder + between);
  EXPECT_EQ(build("pi05_language").parameters(), 2'923'466'480 - encoder - between - words + 37 * 2048);
  const Network action = build("pi05_action");
  constexpr std::int64_t kept = 18 * 2 * 256 * 712;  // numbers of keys and values
  EXPECT_NEAR(static_cast<double>(action.parameters() - kept), 311e6, 1e6);
  EXPECT_EQ(build("pi05_vision").macs(), 2 * find_model("pi05_vision")->build(1).macs())
      << "a view sees itself";
}

TEST(Builders, give_gr00t_the_parameters_of_its_parts) {
  // transformers counts 2,127,532,032 of Qwen3-VL 2B, of which 1,720,574,976 are a language model of 28
  // layers and 151,936 words. Isaac-GR00T prints 1,091,722,240 of its diffusion transformer and 201,433,088
  // of four layers that mix; a server that loaded N1.7 printed 3.14 B. Norms have a bias here.
  constexpr std::int64_t words = 151'936 * 2048, language = 1'720'574'976,
                         layer = (language - words - 2048) / 28, encoder = 2'127'532'032 - language,
                         mixing = 201'433'088, transformer = 1'091'722'240;
  EXPECT_EQ(build("gr00t_vision").parameters(), encoder - (2304 - 256) * 1024) << "positions of 256 patches";
  EXPECT_EQ(build("gr00t_language").parameters(),
            16 * (layer + 2 * 2048 + 2 * 128) + 2 * 2048 + 2 * 2048 + mixing);
  constexpr std::int64_t robot = (132 + 1) * 1024 + (1024 + 1) * 1536 +                          // state
                                 (132 + 1) * 1536 + (2 * 1536 + 1) * 1536 + (1536 + 1) * 1536 +  // actions
                                 (1024 + 1) * 1024 + (1024 + 1) * 132;                           // velocities
  EXPECT_EQ(build("gr00t_action").parameters(), transformer + robot + 40 * 1536 + 65 * 2 * 1536);
  EXPECT_NEAR(static_cast<double>(encoder + words + 16 * layer + 2048 + mixing + transformer + 32 * robot),
              3.14e9, 0.005e9);
  EXPECT_EQ(build("gr00t_vision").macs(), 2 * find_model("gr00t_vision")->build(1).macs())
      << "a view sees itself";
}

TEST(Builders, know_each_network_by_all_its_names) {
  for (const std::string& name : known_names()) EXPECT_NE(find_model(name), nullptr) << name;
  EXPECT_EQ(find_model("facebook/convnext-tiny-224")->name, "convnext_tiny");
  EXPECT_EQ(find_model("mobilenetv4_conv_small.e2400_r224_in1k")->name, "mobilenetv4_conv_small");
}

TEST(Builders, refuse_inputs_that_a_described_network_cannot_take) {
  EXPECT_THROW((void)find_model("yolo26n")->build(650), std::invalid_argument);
  EXPECT_THROW((void)find_model("convnextv2_nano")->build(16), std::invalid_argument);
}

// OpenVINO's Open Model Zoo counts norms as they are folded, one bias a channel, in millions of parameters;
// and GFLOP.
struct FoldedValue {
  const char* name;
  double parameters, gflop;
  std::int64_t boxes = 0;  // whose six constants it counts as parameters
};
constexpr std::array folded{FoldedValue{"ssd_mobilenet_v1", 6.807, 2.494},
                            FoldedValue{"ssd_mobilenet_v2", 16.818, 3.775},
                            FoldedValue{"ssd_resnet34", 20.058, 433.411, 15'130}};

TEST(Builders, give_single_shot_detectors_the_sizes_that_openvino_publishes) {
  for (const FoldedValue& row : folded) {
    const Network network = build(row.name);
    const auto parameters =
        static_cast<double>(network.parameters() - normed_channels(network) + 6 * row.boxes);
    EXPECT_NEAR(parameters / 1e6, row.parameters, 0.0005) << row.name;
    EXPECT_NEAR(2e-9 * static_cast<double>(network.macs()), row.gflop, 0.01 * row.gflop) << row.name;
  }
}

TEST(Builders, give_a_unet_the_size_that_openvino_publishes) {
  // unet-camvid-onnx-0001: 12 classes, 368 x 480, norms folded; 31.03 M parameters, 260.1 GFLOP.
  const Network network = build("unet");
  const std::int64_t classes = 10 * 64, pixels = 368 * 480;
  EXPECT_NEAR(static_cast<double>(network.parameters() - normed_channels(network) + classes) / 1e6, 31.03,
              0.005);
  const double of_pixel = static_cast<double>(network.macs()) / (512.0 * 512.0) + classes;
  EXPECT_NEAR(2e-9 * of_pixel * pixels, 260.1, 2.6);
}

TEST(Builders, give_retinanet_and_detr_the_sizes_that_their_libraries_count) {
  // torchvision's RetinaNetHead with 264 classes on resnet_fpn_backbone(resnext50_32x4d), whose frozen norms
  // have no parameters; operations by PyTorch's counter, at 800.
  const Network retinanet = build("retinanet_resnext50");
  EXPECT_EQ(retinanet.parameters() - 2 * normed_channels(retinanet), 37'060'652);
  EXPECT_EQ(retinanet.macs(), 201'208'394'752);
  // transformers' DetrForObjectDetection, without its frozen norms too; that is, facebookresearch/detr's
  // count of what learns, 41 302 368, and its stem and first stage, which do not.
  const Network detr = build("detr_resnet50");
  EXPECT_EQ(detr.parameters() - 2 * normed_channels(detr), 41'302'368 + 9'408 + 212'992);
  // By PyTorch's counter at 800: convolutions, and linear layers; and attention among n = 25 x 25 positions
  // and 100 boxes.
  EXPECT_EQ(macs_of(detr, {Op::conv}), 52'459'520'000);
  EXPECT_EQ(macs_of(detr, {Op::linear}), 122'880'000 + 6'164'480'000);
  EXPECT_EQ(macs_of(detr, {Op::matmul}), 6LL * 2 * 256 * (625 * 625 + 100 * 100 + 100 * 625));
}

TEST(Builders, give_efficientvit_the_size_of_its_card) {
  // timm's card: 9.1 M parameters; the paper's table: 0.52 GMAC.
  const Network network = build("efficientvit_b1");
  EXPECT_NEAR(static_cast<double>(network.parameters()) / 1e6, 9.1, 0.05);
  EXPECT_NEAR(static_cast<double>(network.macs()) / 1e9, 0.52, 0.005);
}

TEST(Builders, give_a_volume_what_its_formula_says) {
  // MLPerf publishes the definition of 3-D U-Net, but no counts. Convolutions of 3 x 3 x 3 with a scale and a
  // shift of each channel, of 2 x 2 x 2 with a bias on the way up, and one of 1 to three classes.
  constexpr std::array<std::int64_t, 6> width{32, 64, 128, 256, 320, 320};
  std::int64_t parameters = 32 * 3 + 3, macs = 32LL * 3 * 128 * 128 * 128, before = 1, side = 128;
  const auto convolution = [&](std::int64_t in, std::int64_t out, std::int64_t at) {
    parameters += 27 * in * out + 2 * out;
    macs += 27 * in * out * at * at * at;
  };
  for (std::size_t level = 0; level < width.size(); ++level, side /= 2) {
    convolution(before, width.at(level), side);
    convolution(width.at(level), width.at(level), side);
    before = width.at(level);
  }
  for (std::size_t level = width.size() - 1; level-- > 0;) {
    const std::int64_t out = width.at(level), at = 128 >> level;
    parameters += 8 * before * out + out;
    macs += before * out * at * at * at;
    convolution(2 * out, out, at);
    convolution(out, out, at);
    before = out;
  }
  const Network network = build("unet3d");
  EXPECT_EQ(network.parameters(), parameters);
  EXPECT_EQ(network.macs(), macs);
}

TEST(Builders, segmentation_has_its_published_size_with_the_auxiliary_head) {
  // torchvision, at 520: 35 322 218 and 42 004 074 parameters, 152.717 and 178.722 GMAC.
  constexpr std::int64_t auxiliary = 2'365'205;
  const Network fcn = described_network("fcn_resnet50_with_auxiliary", 520);
  EXPECT_EQ(fcn.parameters(), 35'322'218);
  EXPECT_NEAR(static_cast<double>(fcn.macs()) / 1e9, 152.717, 1.5);
  EXPECT_EQ(build("fcn_resnet50").parameters(), 35'322'218 - auxiliary);
  const Network deeplab = described_network("deeplabv3_resnet50_with_auxiliary", 520);
  EXPECT_EQ(deeplab.parameters(), 42'004'074);
  EXPECT_NEAR(static_cast<double>(deeplab.macs()) / 1e9, 178.722, 1.8);
  EXPECT_EQ(build("deeplabv3_resnet50").parameters(), 42'004'074 - auxiliary);
}

TEST(Builders, give_single_layers_the_shapes_and_operations_of_their_definitions) {
  const Network alexnet = build("alexnet");
  EXPECT_EQ(layer(alexnet, "conv1").out, (Shape{64, 55, 55}));
  EXPECT_EQ(layer(alexnet, "conv2").macs(), 192LL * 27 * 27 * 64 * 5 * 5);
  EXPECT_EQ(layer(alexnet, "fc6").parameters(), 9216LL * 4096 + 4096);

  const Network ssd = build("ssd300");
  EXPECT_EQ(layer(ssd, "pool3").out, (Shape{256, 38, 38}));  // 75 halved upwards
  EXPECT_EQ(layer(ssd, "fc6").dilation, 6);
  EXPECT_EQ(layer(ssd, "fc6").out, (Shape{1024, 19, 19}));
  EXPECT_EQ(layer(ssd, "conv11_2").out, (Shape{256, 1, 1}));
  EXPECT_EQ(layer(ssd, "conf").out, (Shape{91, 8732, 1}));  // its default boxes
  EXPECT_EQ(layer(build("ssd300_resnet50"), "conf").out, (Shape{81, 8732, 1}));

  const Network yolo = build("yolov8n");
  EXPECT_EQ(layer(yolo, "2.concat").out, (Shape{48, 160, 160}));
  EXPECT_EQ(layer(yolo, "22.cv3.0.1").macs(), 368'640'000);
  EXPECT_EQ(layer(yolo, "22.dfl.conv").macs(), 16LL * 4 * 8400);
  EXPECT_EQ(layer(yolo, "22.dfl.conv").parameters(), 16);
  EXPECT_EQ(layer(yolo, "22.out").out, (Shape{84, 8400, 1}));
  EXPECT_EQ(layer(yolo, "0.activation").activation, Activation::silu);

  const Network tiny = build("yolov4_tiny");
  EXPECT_EQ(layer(tiny, "fine.a").in, (Shape{384, 26, 26}));
  EXPECT_EQ(layer(tiny, "coarse.b").out, (Shape{255, 13, 13}));
  EXPECT_EQ(layer(tiny, "csp0.a.activation").activation, Activation::leaky_relu);

  const Network bert = build("distilbert");
  EXPECT_EQ(layer(bert, "word").parameters(), 30'522LL * 768);
  EXPECT_EQ(layer(bert, "layer0.scores").macs(), 12LL * 128 * 128 * 64);
  EXPECT_EQ(layer(bert, "layer0.mix").out, (Shape{768, 128, 1}));
  EXPECT_EQ(layer(bert, "layer5.wide").macs(), 128LL * 768 * 3072);

  const Network sound = build("whisper_tiny");
  EXPECT_EQ(layer(sound, "conv2").out, (Shape{384, 1500, 1}));
  EXPECT_EQ(layer(sound, "conv2").window_area(), 3);
  EXPECT_EQ(layer(sound, "positions").parameters(), 1500 * 384);

  const Network swin = build("swin_t");
  EXPECT_EQ(layer(swin, "stage1.block0.scores").out, (Shape{64 * 3 * 49, 49, 1}));
  EXPECT_EQ(layer(swin, "stage1.block1.bias").parameters(), 169 * 3);
  EXPECT_EQ(layer(swin, "stage4.merging.reduction").out, (Shape{768, 7, 7}));

  const Network volume = build("unet3d");
  EXPECT_EQ(layer(volume, "down1.0").out, (Shape{64, 64 * 64, 64}));
  EXPECT_EQ(layer(volume, "down1.0").window_area(), 27);
  EXPECT_TRUE(layer(volume, "down1.0").volume);

  EXPECT_EQ(layer(build("inception_v3"), "mixed_6b.7x7.1").window_area(), 7);
  EXPECT_EQ(layer(build("resnext50_32x4d"), "layer1.0.conv2").groups, 32);
  EXPECT_EQ(layer(build("ssd_mobilenet_v1"), "conf").out, (Shape{91, 1917, 1}));  // their default boxes
  EXPECT_EQ(layer(build("ssd_resnet34"), "conf").out, (Shape{81, 15130, 1}));
  EXPECT_EQ(layer(build("yolov5s"), "24.levels").out, (Shape{85, 25200, 1}));
  EXPECT_EQ(layer(build("yolov8n_pose"), "22.kpt").out, (Shape{56, 8400, 1}));
  const Layer gate = layer(build("mobilenet_v3_small"), "block0.se.fc2.activation");
  EXPECT_EQ(gate.activation, Activation::hard_sigmoid);

  const Network resnet = build("resnet50");
  EXPECT_EQ(layer(resnet, "conv1").stride, 2);
  EXPECT_EQ(layer(resnet, "average_pool").window_area(), 7 * 7);
  EXPECT_TRUE(layer(build("mobilenet_v2"), "block3.depthwise").depthwise());
  EXPECT_EQ(layer(build("fcn_resnet50"), "layer4.2.conv2").dilation, 4);
}

bool keeps_the_shape(Op op) {
  return op == Op::add || op == Op::multiply || op == Op::activation || op == Op::batch_norm ||
         op == Op::layer_norm || op == Op::softmax;
}

// A factor may have fewer channels, each for some of the tensor, and one position for all.
bool spreads_to(const Shape& factor, const Shape& whole) {
  return whole.channels % factor.channels == 0 &&
         (factor.positions() == 1 || (factor.height == whole.height && factor.width == whole.width));
}

void check_layer(const Network& network, Node node) {
  const Layer& one = network.layer(node);
  const std::vector<Node> inputs = network.inputs(node);
  EXPECT_EQ(inputs.empty(), one.op == Op::input) << one.name;
  EXPECT_GT(one.out.elements(), 0) << one.name;
  EXPECT_EQ(one.op == Op::activation, one.activation != Activation::none) << one.name;
  std::int64_t elements = 0;
  for (const Node input : inputs) {
    EXPECT_LT(input, node) << one.name;  // so there is no cycle
    const Shape& shape = network.layer(input).out;
    elements += shape.elements();
    if (one.op == Op::multiply && input != inputs.front()) {
      EXPECT_TRUE(spreads_to(shape, one.out)) << one.name;
    } else if (keeps_the_shape(one.op)) {
      EXPECT_EQ(shape, one.out) << one.name;
    }
  }
  if (!inputs.empty()) {
    EXPECT_EQ(network.layer(inputs.front()).out, one.in) << one.name;
  }
  if (one.op == Op::concat || one.op == Op::reshape || one.op == Op::transpose) {
    EXPECT_EQ(elements + one.stored, one.out.elements()) << one.name;
  }
}

TEST(Builders, give_networks_whose_layers_follow_their_inputs_and_whose_shapes_add_up) {
  for (const Model& model : models()) {
    SCOPED_TRACE(model.name);
    const Network network = model.build(model.default_input);
    std::set<std::string> names;
    std::size_t inputs = 0, results = 0;
    for (const Node node : nodes(network)) {
      check_layer(network, node);
      names.insert(network.layer(node).name);
      if (network.layer(node).op == Op::input) ++inputs;
      if (network.consumers(node).empty()) ++results;
    }
    EXPECT_EQ(names.size(), network.size());
    EXPECT_EQ(inputs, 1U);
    // Nothing is computed in vain: two maps that darknet decodes, boxes and the parts of masks, places and
    // scores.
    const bool two =
        model.name.ends_with("_seg") || model.name == "yolov4_tiny" || model.name == "ssd300_resnet50";
    EXPECT_EQ(results, two ? 2U : 1U);
  }
}

RC_GTEST_PROP(Builders, give_fully_convolutional_networks_operations_in_proportion_to_the_area, ()) {
  const std::string name =
      *rc::gen::element<std::string>("fcn_resnet50", "unet", "yolov4_tiny", "yolov5n", "yolov8n", "yolov8m");
  const Model& model = *find_model(name);
  const int side = 32 * *rc::gen::inRange(1, 6), times = *rc::gen::inRange(1, 5);
  const Network small = model.build(side), large = model.build(times * side);
  RC_ASSERT(large.macs() == times * times * small.macs());
  RC_ASSERT(large.parameters() == small.parameters());
  RC_ASSERT(large.size() == small.size());
}

std::string refusal(const char* name, int input) {
  try {
    (void)find_model(name)->build(input);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Builders, give_a_rectangle_the_operations_of_its_area) {
  for (const char* const name : {"fcn_resnet50", "unet", "yolov4_tiny", "yolov5n", "yolov8m", "yolox_s"}) {
    const Network square = find_model(name)->build(640), wide = find_model(name)->build(rectangle(640, 384)),
                  tall = find_model(name)->build(rectangle(384, 640));
    EXPECT_EQ(5 * wide.macs(), 3 * square.macs()) << name;
    EXPECT_EQ(tall.macs(), wide.macs()) << name;
    EXPECT_EQ(wide.parameters(), square.parameters()) << name;
    EXPECT_EQ(wide.layer(0).out, (Shape{3, 384, 640})) << name;
  }
}

TEST(Builders, take_a_rectangle_or_say_that_they_take_none) {
  for (const Model& model : models()) {
    SCOPED_TRACE(model.name);
    const int step = model.family == "depth_anything" ? 14
                     : model.name == "rfdetr_base"    ? 56
                     : model.name.ends_with("xlarge") ? 40
                                                      : 32;
    const int width = std::max(model.default_input, 512) / step * step,
              height = width * 3 / 4 / (2 * step) * (2 * step);
    try {
      const Network square = model.build(width), wide = model.build(rectangle(width, height));
      EXPECT_LT(wide.macs(), square.macs());
      EXPECT_EQ(wide.parameters(), square.parameters());
      EXPECT_EQ(wide.size(), square.size());
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(error.what(), "an input of " + input_text(rectangle(width, height)) + ": " +
                                  std::string(model.name) + " takes one number, no rectangle, such as " +
                                  std::to_string(height));
      EXPECT_TRUE(
          std::set<std::string_view>({"bert", "gr00t", "hiera", "pi05", "swin", "unet3d", "vit", "whisper"})
              .contains(model.family));
    }
  }
  EXPECT_EQ(refusal("yolo26n", rectangle(640, 400)),
            "an input of 640x400: yolo26n takes multiples of 32, such as 640x384");
}

RC_GTEST_PROP(Builders, give_operations_that_never_fall_and_the_same_parameters_for_a_larger_input, ()) {
  const Model& model = models()[*rc::gen::inRange<std::size_t>(0, models().size())];
  // Multiples that the network takes.
  const int step = model.family == "depth_anything" ? 14
                   : model.name == "rfdetr_base"    ? 56
                   : model.name.ends_with("xlarge") ? 40
                                                    : 64;
  const int least = model.family == "whisper" ? model.default_input - 5 * step : model.default_input;
  const int input = least + step * *rc::gen::inRange(0, 5);
  const Network small = model.build(input), large = model.build(input + step);
  RC_ASSERT(large.macs() >= small.macs());
  RC_ASSERT(large.parameters() == small.parameters());
}

RC_GTEST_PROP(Builders, give_an_encoder_what_its_formula_says, ()) {
  // Of each layer: four projections and two of four times the width, and two products of n x n; then a
  // projection of the first token, and the classifier.
  struct Size {
    const char* name;
    std::int64_t layers, hidden;
  };
  const Size size = *rc::gen::element(Size{"bert_tiny", 2, 128}, Size{"distilbert", 6, 768},
                                      Size{"bert_base", 12, 768}, Size{"bert_large", 24, 1024});
  const std::int64_t n = *rc::gen::inRange(1, 513), h = size.hidden;
  const Network network = find_model(size.name)->build(static_cast<int>(n));
  RC_ASSERT(network.macs() == size.layers * (12 * n * h * h + 2 * n * n * h) + h * h + 2 * h);
}

RC_GTEST_PROP(Builders, give_a_vision_transformer_what_its_formula_says, ()) {
  // As above, of the patches of 16 x 16 and one token more; the patches themselves; and 1000 classes.
  struct Size {
    const char* name;
    std::int64_t hidden;
  };
  const Size size = *rc::gen::element(Size{"deit_tiny", 192}, Size{"vit_small", 384}, Size{"vit_base", 768});
  const std::int64_t side = *rc::gen::inRange(1, 30), n = side * side + 1, h = size.hidden;
  const Network network = find_model(size.name)->build(static_cast<int>(16 * side));
  RC_ASSERT(network.macs() ==
            12 * (12 * n * h * h + 2 * n * n * h) + side * side * 3 * 16 * 16 * h + 1000 * h);
}

TEST(Builders, refuse_inputs_that_a_network_cannot_take) {
  for (const Model& model : models()) {
    for (const int input : {0, -1, -224}) {
      EXPECT_NE(refusal(std::string(model.name).c_str(), input), "") << model.name << " " << input;
    }
  }
  EXPECT_EQ(refusal("alexnet", 62), "the input is too small for layer 'pool5'");
  EXPECT_EQ(refusal("alexnet", 63), "");
  EXPECT_EQ(refusal("vgg16", 31), "the input is too small for layer 'pool5'");
  EXPECT_EQ(refusal("vgg16", 32), "");
  EXPECT_EQ(refusal("ssd300", 200), "the input is too small for layer 'conv11_2'");
  EXPECT_EQ(refusal("yolov8n", 100), "an input of 100: yolov8n takes multiples of 32, such as 96 or 128");
  EXPECT_EQ(refusal("yolov4_tiny", 8), "an input of 8: yolov4_tiny takes multiples of 32, such as 32");
  EXPECT_EQ(refusal("bert_tiny", 513), "an input of 513 tokens: bert_tiny takes 1 to 512");
  EXPECT_EQ(refusal("distilbert", 0), "an input of 0 tokens: distilbert takes 1 to 512");
  EXPECT_EQ(refusal("whisper_tiny", 3001), "an input of 3001 frames: whisper_tiny takes 1 to 3000");
  EXPECT_EQ(refusal("whisper_base", 1), "");
  EXPECT_EQ(refusal("vit_base", 230), "an input of 230: vit_base takes multiples of 16, such as 224 or 240");
  EXPECT_EQ(refusal("swin_t", 48), "an input of 48: swin_t takes multiples of 32, such as 32 or 64");
  EXPECT_EQ(refusal("inception_v3", 74), "the input is too small for layer 'mixed_7a.first.1'");
  EXPECT_EQ(refusal("inception_v3", 75), "");
  EXPECT_EQ(refusal("detr_resnet50", 99), "layer 'queries.index' takes more than its input has");
  EXPECT_EQ(refusal("unet3d", 48), "an input of 48: unet3d takes multiples of 32, such as 32 or 64");
}

TEST(Builders, refuse_layers_that_do_not_fit) {
  Network network;
  const Node input = network.add({.name = "a", .in = {3, 8, 8}, .out = {3, 8, 8}}, {});
  EXPECT_THROW(
      (void)network.add({.name = "b", .op = Op::conv, .in = {4, 8, 8}, .out = {4, 8, 8}}, std::array{input}),
      std::invalid_argument);

  LayerBuilder layers;
  const Node image = layers.input({8, 6, 6});
  const Node small = layers.max_pool("pool", image, {.window = 2, .stride = 2});
  EXPECT_THROW((void)layers.add(image, small), std::invalid_argument);
  EXPECT_THROW((void)layers.multiply(image, small), std::invalid_argument);
  EXPECT_THROW((void)layers.concat("c", {image, small}), std::invalid_argument);
  EXPECT_THROW((void)layers.concat_positions("c", {image, small}), std::invalid_argument);
  EXPECT_THROW((void)layers.reshape("r", image, {8, 6, 7}), std::invalid_argument);
  EXPECT_THROW((void)layers.slice("s", image, {9, 6, 6}), std::invalid_argument);
  EXPECT_THROW((void)layers.matmul("m", image, small, {2, 4}, {8, 6, 6}), std::invalid_argument);
}

Network of_text(std::string_view text) {
  return described_network(parse(std::array{Text{"text", text}}), "n", 8);
}

TEST(Descriptions, name_layers_and_pass_numbers_tensors_and_defaults_to_macros) {
  const Network network = of_text(
      "def pair n k=1 s=1\n .a: conv n k=k s=s; keep x; .{n/2}: conv n; add x; : act\nend\n"
      "network n f 8 s one; two\n let usual gelu; input 3 input input\n"
      " repeat 2\n  p{i}: pair 4 s=1+i\n end\n conv 5\nend\n");
  std::vector<std::string> names;
  for (const Node node : nodes(network)) names.push_back(network.layer(node).name);
  EXPECT_EQ(names, (std::vector<std::string>{"input", "p0.a", "p0.2", "p0.2.add", "p0.2.activation", "p1.a",
                                             "p1.2", "p1.2.add", "p1.2.activation", "conv0"}));
  EXPECT_EQ(layer(network, "p1.2.activation").activation, Activation::gelu);
  EXPECT_EQ(layer(network, "p0.a").out, (Shape{4, 8, 8}));
  EXPECT_EQ(layer(network, "p1.a").out, (Shape{4, 4, 4}));
}

std::string mistake(const std::string& line) {
  try {
    (void)of_text("def m a\n conv a\nend\nnetwork n f 8 s d\n input 3 8 8\n" + line + "\nend\n");
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "";
}

TEST(Descriptions, name_the_line_of_a_misspelt_word) {
  EXPECT_EQ(mistake("cnov 4"), "text, line 6: 'cnov' is not known");
  EXPECT_EQ(mistake("conv 4 bais"), "text, line 6: 'bais' is not known");
  EXPECT_EQ(mistake("conv 4 kk=3"), "text, line 6: 'kk=3' is not known");
  EXPECT_EQ(mistake("conv 4; add y"), "text, line 6: 'y' is not known");
  EXPECT_EQ(mistake("m 4 5"), "text, line 6: '5' is not known");
  EXPECT_EQ(mistake("m"), "text, line 6: a word is missing");
  EXPECT_EQ(mistake("m b=4"), "text, line 6: a word is missing");
  EXPECT_EQ(mistake("conv 4x"), "text, line 6: '4x' is not known");
  EXPECT_EQ(mistake("conv 4; act rleu"), "text, line 6: 'rleu' is not known");
  EXPECT_EQ(mistake("end\ndef m\nend\nif 0"), "text, line 7: a second 'm'");
  EXPECT_EQ(mistake("end"), "text, line 7: nothing ends here");
  EXPECT_EQ(mistake("if 1"), "text, line 4: this has no end");
  EXPECT_EQ(mistake("m a=4"), "");
}

TEST(Networks, are_found_by_the_names_of_torchvision_timm_and_hugging_face) {
  EXPECT_EQ(catalogue_name("vit_b_16"), "vit_base");
  EXPECT_EQ(catalogue_name("vit_base_patch16_224.augreg_in21k"), "vit_base");
  EXPECT_EQ(catalogue_name("google/vit-base-patch16-224"), "vit_base");
  EXPECT_EQ(catalogue_name("resnet50.a1_in1k"), "resnet50");
  EXPECT_EQ(catalogue_name("bert-base-uncased"), "bert_base");
  EXPECT_EQ(catalogue_name("my.net"), "my.net");
  EXPECT_EQ(find_model("vit_b_16"), find_model("vit_base"));
  EXPECT_EQ(find_model(""), nullptr);
  EXPECT_EQ(find_model("resnet50.onnx"), nullptr);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::dnn
