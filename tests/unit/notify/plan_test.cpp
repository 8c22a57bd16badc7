#include "pollux/notify/plan.hpp"

#include <gtest/gtest.h>
