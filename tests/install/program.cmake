# The CMakeLists.txt of a user whose program is app.cpp, with tern of version WANTED.
cmake_minimum_required(VERSION 3.23)
project(app LANGUAGES CXX)
find_package(tern ${WANTED} REQUIRED)
add_executable(app app.cpp)
target_link_libraries(app PRIVATE tern::tern)
