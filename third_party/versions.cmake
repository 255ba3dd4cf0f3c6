# What TERN_FETCH=ON fetches.
