// Made by print.py: TERN_PRINTS(expression, what Python prints).
// clang-format off
TERN_PRINTS((tensor({1., 2., 3.})), R"(tensor([1., 2., 3.]))")
TERN_PRINTS((tensor({1.5, -2.25, 1000.})), R"(tensor([   1.5000,   -2.2500, 1000.0000]))")
TERN_PRINTS((tensor({0.0001, 1.})), R"(tensor([1.0000e-04, 1.0000e+00]))")
TERN_PRINTS((tensor({0.00001, 1.})), R"(tensor([1.0000e-05, 1.0000e+00]))")
TERN_PRINTS((tensor({0.001, 1.})), R"(tensor([0.0010, 1.0000]))")
TERN_PRINTS((tensor({1000., 0.5})), R"(tensor([1.0000e+03, 5.0000e-01]))")
TERN_PRINTS((tensor({1001., 1.})), R"(tensor([1.0010e+03, 1.0000e+00]))")
TERN_PRINTS((tensor({1e8, 1.})), R"(tensor([1.0000e+08, 1.0000e+00]))")
TERN_PRINTS((tensor({100000000., 200000000.})), R"(tensor([1.0000e+08, 2.0000e+08]))")
TERN_PRINTS((tensor({123456789., 1.})), R"(tensor([1.2346e+08, 1.0000e+00]))")
TERN_PRINTS((tensor({1e-10, 1e10})), R"(tensor([1.0000e-10, 1.0000e+10]))")
TERN_PRINTS((tensor({NAN, 1., -2.})), R"(tensor([nan,  1., -2.]))")
TERN_PRINTS((tensor({INFINITY, -INFINITY, NAN})), R"(tensor([inf, -inf, nan]))")
TERN_PRINTS((tensor({INFINITY, 0.5})), R"(tensor([   inf, 0.5000]))")
TERN_PRINTS((tensor({0., 0.})), R"(tensor([0., 0.]))")
TERN_PRINTS((tensor({-0., 0.})), R"(tensor([-0., 0.]))")
TERN_PRINTS((tensor({NAN, NAN})), R"(tensor([nan, nan]))")
TERN_PRINTS((tensor({0., NAN, 1e-5})), R"(tensor([0.0000e+00,        nan, 1.0000e-05]))")
TERN_PRINTS((tensor(3.)), R"(tensor(3.))")
TERN_PRINTS((tensor(3.14159)), R"(tensor(3.1416))")
TERN_PRINTS((tensor(1e-7)), R"(tensor(1.0000e-07))")
TERN_PRINTS((tensor(NAN)), R"(tensor(nan))")
TERN_PRINTS((tensor(7)), R"(tensor(7))")
TERN_PRINTS((tensor(true)), R"(tensor(True))")
TERN_PRINTS((tensor({true, false})), R"(tensor([ True, False]))")
TERN_PRINTS((tensor({1, -20, 300})), R"(tensor([  1, -20, 300]))")
TERN_PRINTS((tensor({9223372036854775807, -1})), R"(tensor([9223372036854775807,                  -1]))")
TERN_PRINTS((tensor({1.5, 2.5}, kDouble)), R"(tensor([1.5000, 2.5000], dtype=torch.float64))")
TERN_PRINTS((tensor({1, 0}, kDouble)), R"(tensor([1., 0.], dtype=torch.float64))")
TERN_PRINTS((tensor(1.5, kDouble)), R"(tensor(1.5000, dtype=torch.float64))")
TERN_PRINTS((tensor({0.1, 0.2}) / 3), R"(tensor([0.0333, 0.0667]))")
TERN_PRINTS((tensor({{1., 2.}, {3., 4.}})), R"(tensor([[1., 2.],
        [3., 4.]]))")
TERN_PRINTS((tensor({{1.5, -2.}, {300., 4.}})), R"(tensor([[  1.5000,  -2.0000],
        [300.0000,   4.0000]]))")
TERN_PRINTS((ones({2, 3, 2})), R"(tensor([[[1., 1.],
         [1., 1.],
         [1., 1.]],

        [[1., 1.],
         [1., 1.],
         [1., 1.]]]))")
TERN_PRINTS((ones({2, 2, 2, 2})), R"(tensor([[[[1., 1.],
          [1., 1.]],

         [[1., 1.],
          [1., 1.]]],


        [[[1., 1.],
          [1., 1.]],

         [[1., 1.],
          [1., 1.]]]]))")
TERN_PRINTS((arange(24).reshape({2, 3, 4})), R"(tensor([[[ 0,  1,  2,  3],
         [ 4,  5,  6,  7],
         [ 8,  9, 10, 11]],

        [[12, 13, 14, 15],
         [16, 17, 18, 19],
         [20, 21, 22, 23]]]))")
TERN_PRINTS((eye(3)), R"(tensor([[1., 0., 0.],
        [0., 1., 0.],
        [0., 0., 1.]]))")
TERN_PRINTS((linspace(0, 1, 30)), R"(tensor([0.0000, 0.0345, 0.0690, 0.1034, 0.1379, 0.1724, 0.2069, 0.2414, 0.2759,
        0.3103, 0.3448, 0.3793, 0.4138, 0.4483, 0.4828, 0.5172, 0.5517, 0.5862,
        0.6207, 0.6552, 0.6897, 0.7241, 0.7586, 0.7931, 0.8276, 0.8621, 0.8966,
        0.9310, 0.9655, 1.0000]))")
TERN_PRINTS((arange(100)), R"(tensor([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16, 17,
        18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35,
        36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53,
        54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71,
        72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89,
        90, 91, 92, 93, 94, 95, 96, 97, 98, 99]))")
TERN_PRINTS((arange(1001)), R"(tensor([   0,    1,    2,  ...,  998,  999, 1000]))")
TERN_PRINTS((arange(2000).reshape({40, 50})), R"(tensor([[   0,    1,    2,  ...,   47,   48,   49],
        [  50,   51,   52,  ...,   97,   98,   99],
        [ 100,  101,  102,  ...,  147,  148,  149],
        ...,
        [1850, 1851, 1852,  ..., 1897, 1898, 1899],
        [1900, 1901, 1902,  ..., 1947, 1948, 1949],
        [1950, 1951, 1952,  ..., 1997, 1998, 1999]]))")
TERN_PRINTS((arange(1200.).reshape({2, 6, 100})), R"(tensor([[[0.0000e+00, 1.0000e+00, 2.0000e+00,  ..., 9.7000e+01,
          9.8000e+01, 9.9000e+01],
         [1.0000e+02, 1.0100e+02, 1.0200e+02,  ..., 1.9700e+02,
          1.9800e+02, 1.9900e+02],
         [2.0000e+02, 2.0100e+02, 2.0200e+02,  ..., 2.9700e+02,
          2.9800e+02, 2.9900e+02],
         [3.0000e+02, 3.0100e+02, 3.0200e+02,  ..., 3.9700e+02,
          3.9800e+02, 3.9900e+02],
         [4.0000e+02, 4.0100e+02, 4.0200e+02,  ..., 4.9700e+02,
          4.9800e+02, 4.9900e+02],
         [5.0000e+02, 5.0100e+02, 5.0200e+02,  ..., 5.9700e+02,
          5.9800e+02, 5.9900e+02]],

        [[6.0000e+02, 6.0100e+02, 6.0200e+02,  ..., 6.9700e+02,
          6.9800e+02, 6.9900e+02],
         [7.0000e+02, 7.0100e+02, 7.0200e+02,  ..., 7.9700e+02,
          7.9800e+02, 7.9900e+02],
         [8.0000e+02, 8.0100e+02, 8.0200e+02,  ..., 8.9700e+02,
          8.9800e+02, 8.9900e+02],
         [9.0000e+02, 9.0100e+02, 9.0200e+02,  ..., 9.9700e+02,
          9.9800e+02, 9.9900e+02],
         [1.0000e+03, 1.0010e+03, 1.0020e+03,  ..., 1.0970e+03,
          1.0980e+03, 1.0990e+03],
         [1.1000e+03, 1.1010e+03, 1.1020e+03,  ..., 1.1970e+03,
          1.1980e+03, 1.1990e+03]]]))")
TERN_PRINTS((linspace(-1, 1, 2000) * 1000), R"(tensor([-1000.0000,  -998.9995,  -997.9990,  ...,   997.9990,   998.9995,
         1000.0000]))")
TERN_PRINTS((full({1001}, 2.5)), R"(tensor([2.5000, 2.5000, 2.5000,  ..., 2.5000, 2.5000, 2.5000]))")
TERN_PRINTS((full({2, 600}, 0.001)), R"(tensor([[0.0010, 0.0010, 0.0010,  ..., 0.0010, 0.0010, 0.0010],
        [0.0010, 0.0010, 0.0010,  ..., 0.0010, 0.0010, 0.0010]]))")
TERN_PRINTS((ones({7, 200})), R"(tensor([[1., 1., 1.,  ..., 1., 1., 1.],
        [1., 1., 1.,  ..., 1., 1., 1.],
        [1., 1., 1.,  ..., 1., 1., 1.],
        ...,
        [1., 1., 1.,  ..., 1., 1., 1.],
        [1., 1., 1.,  ..., 1., 1., 1.],
        [1., 1., 1.,  ..., 1., 1., 1.]]))")
TERN_PRINTS((empty({0})), R"(tensor([]))")
TERN_PRINTS((empty({0, 3})), R"(tensor([], size=(0, 3)))")
TERN_PRINTS((empty({2, 0, 3})), R"(tensor([], size=(2, 0, 3)))")
TERN_PRINTS((empty({0}, kDouble)), R"(tensor([], dtype=torch.float64))")
TERN_PRINTS((empty({0}, kLong)), R"(tensor([], dtype=torch.int64))")
TERN_PRINTS((empty({0, 2}, kBool)), R"(tensor([], size=(0, 2), dtype=torch.bool))")
TERN_PRINTS((zeros({2}).to("meta")), R"(tensor(..., device='meta', size=(2,)))")
TERN_PRINTS((zeros({2, 3}, kLong).to("meta")), R"(tensor(..., device='meta', size=(2, 3), dtype=torch.int64))")
TERN_PRINTS((ones({2}).requires_grad_()), R"(tensor([1., 1.], requires_grad=True))")
TERN_PRINTS((ones({2}, kDouble).requires_grad_()), R"(tensor([1., 1.], dtype=torch.float64, requires_grad=True))")
TERN_PRINTS((ones({2}).requires_grad_().exp()), R"(tensor([2.7183, 2.7183], grad_fn=<ExpBackward0>))")
TERN_PRINTS((ones({2, 2}).requires_grad_().sum()), R"(tensor(4., grad_fn=<SumBackward0>))")
TERN_PRINTS((ones({2, 2}).requires_grad_().mm(ones({2, 2}))), R"(tensor([[2., 2.],
        [2., 2.]], grad_fn=<MmBackward0>))")
TERN_PRINTS(((ones({2}).requires_grad_()).relu()), R"(tensor([1., 1.], grad_fn=<ReluBackward0>))")
TERN_PRINTS((ones({2, 2}).requires_grad_().t()), R"(tensor([[1., 1.],
        [1., 1.]], grad_fn=<TBackward0>))")
TERN_PRINTS((ones({4}, kDouble).requires_grad_().exp().sigmoid()), R"(tensor([0.9381, 0.9381, 0.9381, 0.9381], dtype=torch.float64,
       grad_fn=<SigmoidBackward0>))")
TERN_PRINTS(((ones({11}).requires_grad_() * ones({11})).tanh()), R"(tensor([0.7616, 0.7616, 0.7616, 0.7616, 0.7616, 0.7616, 0.7616, 0.7616, 0.7616,
        0.7616, 0.7616], grad_fn=<TanhBackward0>))")
TERN_PRINTS((full({10}, 1.).requires_grad_()), R"(tensor([1., 1., 1., 1., 1., 1., 1., 1., 1., 1.], requires_grad=True))")
TERN_PRINTS((full({14}, 1.).requires_grad_()), R"(tensor([1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1.],
       requires_grad=True))")
TERN_PRINTS((full({9}, 0.5, kDouble).requires_grad_()), R"(tensor([0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000],
       dtype=torch.float64, requires_grad=True))")
TERN_PRINTS((ones({2}).requires_grad_().mean()), R"(tensor(1., grad_fn=<MeanBackward0>))")
TERN_PRINTS((ones({2, 2}).requires_grad_()[0]), R"(tensor([1., 1.], grad_fn=<SelectBackward0>))")
TERN_PRINTS((ones({2, 2}).requires_grad_().view({4})), R"(tensor([1., 1., 1., 1.], grad_fn=<ViewBackward0>))")
TERN_PRINTS((ones({2, 2}).requires_grad_().log_softmax(0)), R"(tensor([[-0.6931, -0.6931],
        [-0.6931, -0.6931]], grad_fn=<LogSoftmaxBackward0>))")
