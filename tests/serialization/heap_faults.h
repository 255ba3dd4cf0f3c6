#pragma once

namespace tern {

/// Makes the n-th operator new from now on (1 is the next) throw std::bad_alloc; 0 switches it off.
void fail_new(long n);
/// How many results of operator new were not deleted.
long live_news();

}  // namespace tern
