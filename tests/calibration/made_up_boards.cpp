#include "tests/calibration/made_up_boards.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <utility>
#include <vector>

namespace jostle::calibration::made_up {

namespace fs = std::filesystem;

Tree::Tree() {
  std::string name = (fs::temp_directory_path() / "jostle-tree-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  root_ = name;
}
Tree::~Tree() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}
void Tree::write(const std::string& path, const std::string& text) const {
  const fs::path file = root_ / path.substr(1);
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text << '\n';
}
void Tree::link(const std::string& path, const std::string& target) const {
  const fs::path file = root_ / path.substr(1);
  fs::create_directories(file.parent_path());
  fs::create_symlink(target, file);
}
void Tree::remove(const std::string& path) const {
  fs::remove_all(root_ / path.substr(1));
}

namespace {

const std::string cpus = "/sys/devices/system/cpu/";

struct MadeUpCore {
  int number;
  std::string implementer, part, sharers, l2_kib, capacity, max_khz;
};

void arm_cores(const Tree& tree, const std::vector<MadeUpCore>& cores) {
  std::string cpuinfo;
  for (const MadeUpCore& core : cores) {
    const std::string at = cpus + "cpu" + std::to_string(core.number);
    cpuinfo += "processor\t: " + std::to_string(core.number) + "\nCPU implementer\t: " + core.implementer +
               "\nCPU part\t: " + core.part + "\n\n";
    if (!core.capacity.empty()) tree.write(at + "/cpu_capacity", core.capacity);
    const std::array<std::pair<const char*, const char*>, 2> first{
        {{"index0", "Data"}, {"index1", "Instruction"}}};
    for (const auto& [index, type] : first) {
      tree.write(at + "/cache/" + index + "/type", type);
      tree.write(at + "/cache/" + index + "/size", "64K");
      tree.write(at + "/cache/" + index + "/shared_cpu_list", std::to_string(core.number));
    }
    tree.write(at + "/cache/index2/type", "Unified");
    tree.write(at + "/cache/index2/size", core.l2_kib + "K");
    tree.write(at + "/topology/thread_siblings_list", std::to_string(core.number));
    tree.write(at + "/cpufreq/related_cpus", core.sharers);
    tree.write(at + "/cpufreq/cpuinfo_max_freq", core.max_khz);
    tree.write(at + "/cpufreq/cpuinfo_min_freq", "115200");
    tree.write(at + "/cpufreq/scaling_governor", "schedutil");
    tree.write(at + "/cpufreq/scaling_available_frequencies", "115200 729600 " + core.max_khz + " ");
  }
  tree.write("/proc/cpuinfo", cpuinfo);
}

}  // namespace

void orin_nano(const Tree& tree) {
  std::vector<MadeUpCore> cores;
  for (int i = 0; i < 6; ++i)
    cores.push_back({i, "0x41", "0xd42", i < 4 ? "0 1 2 3" : "4 5", "256", "1024", "1728000"});
  arm_cores(tree, cores);
  for (int i = 0; i < 6; ++i) {
    const std::string at = cpus + "cpu" + std::to_string(i) + "/cache/";
    tree.write(at + "index2/shared_cpu_list", std::to_string(i));
    tree.write(at + "index3/type", "Unified");
    tree.write(at + "index3/size", "2048K");
    tree.write(at + "index3/shared_cpu_list", i < 4 ? "0-3" : "4-5");
  }
  tree.write(cpus + "online", "0-5");
  tree.write(cpus + "present", "0-5");
  for (const char* const policy : {"policy0", "policy4"}) {
    tree.write(cpus + "cpufreq/" + policy + "/scaling_governor", "schedutil");
    tree.write(cpus + "cpufreq/" + policy + "/scaling_min_freq", "729600");
    tree.write(cpus + "cpufreq/" + policy + "/scaling_max_freq", "1728000");
  }
  tree.write("/proc/device-tree/model", "NVIDIA Jetson Orin Nano Engineering Reference Developer Kit Super");
  tree.write("/proc/device-tree/serial-number", "1423423043210");
  tree.write("/proc/device-tree/compatible",
             std::string("nvidia,p3768-0000+p3767-0005\0nvidia,tegra234", 44));
  tree.write("/proc/sys/kernel/osrelease", "5.15.148-tegra");
  tree.write("/proc/sys/kernel/hostname", "gate-of-the-owner");
  tree.write("/proc/meminfo", "MemTotal:        7802928 kB\nMemFree: 1 kB");
  tree.write("/proc/stat", "cpu  10 0 10 1000 0 0 0 0 0 0\ncpu0 5 0 5 500 0 0 0 0 0 0");
  tree.write("/etc/nv_tegra_release", "# R36 (release), REVISION: 4.3, GCID: 38968081, BOARD: generic");
  tree.write("/sys/class/devfreq/17000000.gpu/available_frequencies", "306000000 612000000 1020000000");
  tree.write("/sys/class/devfreq/17000000.gpu/governor", "nvhost_podgov");
  tree.write("/sys/class/devfreq/17000000.gpu/min_freq", "306000000");
  tree.write("/sys/class/devfreq/17000000.gpu/max_freq", "1020000000");
  tree.write("/sys/class/hwmon/hwmon1/name", "ina3221");
  tree.write("/sys/class/hwmon/hwmon1/in1_label", "VDD_IN");
  tree.write("/sys/class/hwmon/hwmon1/in2_label", "VDD_CPU_GPU_CV");
  tree.write("/sys/class/hwmon/hwmon1/in3_label", "VDD_SOC");
  tree.write("/sys/class/hwmon/hwmon2/oc1_event_cnt", "0");
  tree.write("/etc/nvpmodel.conf",
             "< POWER_MODEL ID=0 NAME=15W >\nCPU_ONLINE CORE_1 1\n< POWER_MODEL ID=2 NAME=MAXN_SUPER >\n"
             "CPU_ONLINE CORE_1 1\n< PM_CONFIG DEFAULT=0 >");
  tree.write("/var/lib/nvpmodel/status", "pmode:0002");
  tree.write("/boot/config-5.15.148-tegra", "CONFIG_HZ_250=y\nCONFIG_HZ=250");
}

void tx2(const Tree& tree) {
  std::vector<MadeUpCore> cores;
  for (const int i : {0, 1, 2, 3, 4, 5}) {
    const bool denver = i == 1 || i == 2;
    cores.push_back({i, denver ? "0x4e" : "0x41", denver ? "0x003" : "0xd07", denver ? "1 2" : "0 3 4 5",
                     "2048", "", denver ? "2035200" : "2035201"});
  }
  arm_cores(tree, cores);
  for (int i = 0; i < 6; ++i)
    tree.write(cpus + "cpu" + std::to_string(i) + "/cache/index2/shared_cpu_list",
               i == 1 || i == 2 ? "1-2" : "0,3-5");
  tree.write(cpus + "online", "0-5");
  tree.write(cpus + "present", "0-5");
  tree.write("/proc/device-tree/model", "NVIDIA Jetson TX2 Developer Kit");
  tree.write("/proc/device-tree/compatible", std::string("nvidia,p2771-0000\0nvidia,tegra186", 33));
  tree.write("/proc/sys/kernel/osrelease", "4.9.337-tegra");
  tree.write("/proc/meminfo", "MemTotal:        8039000 kB");
  tree.write("/sys/class/devfreq/17000000.gp10b/available_frequencies", "114750000 1300500000");
  const std::string monitor = "/sys/bus/i2c/drivers/ina3221x/0-0041/iio:device1/";
  tree.write(monitor + "rail_name_0", "VDD_IN");
  tree.write(monitor + "rail_name_1", "NC");
  tree.write(monitor + "rail_name_2", "VDD_SYS_CPU");
}

void pc_with_l4(const Tree& tree) {
  std::string cpuinfo;
  for (int i = 0; i < 8; ++i) {
    const std::string at = cpus + "cpu" + std::to_string(i);
    const std::string siblings = std::to_string(i % 4) + "," + std::to_string(i % 4 + 4);
    cpuinfo += "processor\t: " + std::to_string(i) + "\nmodel name\t: Intel(R) Xeon(R) CPU @ 2.20GHz\n\n";
    tree.write(at + "/topology/thread_siblings_list", siblings);
    tree.write(at + "/cache/index2/type", "Unified");
    tree.write(at + "/cache/index2/size", "1024K");
    tree.write(at + "/cache/index2/shared_cpu_list", siblings);
    tree.write(at + "/cache/index3/type", "Unified");
    tree.write(at + "/cache/index3/size", "39424K");
    tree.write(at + "/cache/index3/shared_cpu_list", "0-7");
  }
  tree.write("/proc/cpuinfo", cpuinfo);
  tree.write(cpus + "online", "0-7");
  tree.write(cpus + "present", "0-7");
  tree.write(cpus + "smt/active", "1");
  tree.write("/proc/sys/kernel/osrelease", "6.8.0-41-generic");
  tree.write("/boot/config-6.8.0-41-generic", "CONFIG_HZ=1000");
  tree.write("/proc/meminfo", "MemTotal:       32863248 kB");
  tree.write("/proc/driver/nvidia/gpus/0000:00:04.0/information",
             "Model: \t\t NVIDIA L4\nIRQ:   \t\t 30\nGPU UUID: \t GPU-12345678-aaaa-bbbb-cccc-1234567890ab");
  tree.write("/proc/driver/nvidia/version",
             "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.90.07  Fri May 31");
}

}  // namespace jostle::calibration::made_up
