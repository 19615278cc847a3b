/* test_refusal.c -- the program, from outside: what it refuses, in which words and with
 * which exit code, and that nothing is left behind. TROP_BUILD is its folder. */
#include "cli_support.h"

static int make_files(void **state)
{
    const double four[] = { 1, .5, -1, .25 };
    (void)state;
    put("plane.csv", "1,0\n0,1\n-1,-1\n");
    put("nan.csv", "1,0\n0,nan\n");
    put("inf.csv", "1,0\n0,1\n-inf,2\n");
    put("ragged.csv", "1,0\n0,1,2\n");
    put("empty.csv", "");
    put("empty.npy", "");
    put("vast.csv", "1e160,0\n-1e160,0\n");
    put("words.csv", "x,y\n1,two\n");
    put("matrix3.csv", "1,0,0\n0,1,0\n0,0,1\n");
    put("gamma2.csv", "0.5\n2\n");
    put("mass2.csv", "1\n2\n");
    put("wall.csv", "1,0\n-1,0\n0,0\n");
    put("mass0.csv", "1\n0\n1\n");
    put("bad.yaml", "n: 5\nbeat: 3\n");
    put("value.yaml", "n: 5\nbeta: hot\n");
    put("broken.yaml", "n: [5\n");
    put("json.yaml", "n: 5\njson: true\n");
    put("every.yaml", "n: 5\nevery: 1e99\n");
    put("endless.csv", "1,0\n0,1e308\n");
    put("farther.csv", "1,0\n0,4e307\n");
    put("axes.json", "{\"X\": [[[1, 0], [0, 0]], [[0, 1], [0, 0]]], \"y\": [1, 1], \"v\": [1, 1]}");
    put("bare.json", "{\"X\": [[[1, 0], [0, 0]]]}");
    put("cut.json", "{\"X\": [[[1, 0], [0");
    put("label.json", "{\"X\": [[[1, 0], [0, 0]]], \"y\": [2]}");
    put("typo.json", "{\"X\": [[[1, 0], [0, 0]]], \"Y\": [1]}");
    put("uneven.json", "{\"X\": [[[1, 0], [0]]]}");
    put("sets.json", "{\"sets\": [[0, 1]]}");
    put("sets3.json", "{\"sets\": [[0, 3], [0]]}");
    put("w2.json", "{\"W\": [[1, 0], [0, 1]]}");
    put("p3.json", "{\"p\": [1, 0, 0]}");
    put("problem.json", "{\"format\": \"tropism problem\", \"layout\": 1, \"norm\": \"l7\"}");
    put("norm.yaml", "data: axes.json\nnorm: l7\n");
    put_npy("round.npy", "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 2), }\n",
            (int64_t[]){ 1, 0, 0, (INT64_C(1) << 53) + 1 }, 32);
    put_npy("lying.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (9, 9), }\n", four, 32);
    put_npy("list.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }\n", four, 32);
    put_npy("none.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 2), }\n", four, 0);
    put_npy("huge.npy",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 4), }\n", four,
            32);
    put_npy("text.npy", "{'descr': '<U4', 'fortran_order': False, 'shape': (2,), }\n", four, 32);
    return mkdir(scratch("folder.csv"), 0777);
}

/* ---- bad input ---------------------------------------------------------------------------- */

static const struct {
    const char *line;
    int code;
    const char *words[3]; /* of the sentence */
} refused[] = {
    { "flwo --n 5", 2, { "flwo", "unknown verb", "did you mean flow" } },
    { "flow --stesp 5", 2, { "--stesp", "unknown option", "did you mean --steps" } },
    { "flow --recrod residual", 2, { "--recrod", "did you mean --record" } },
    { "flow --key-quary 1", 2, { "--key-quary", "did you mean --key-query" } },
    { "flow --lr .1", 2, { "--lr", "did you mean --gamma" } },
    { "train --lr .1", 2, { "--lr", "did you mean --eta" } },
    { "flow --temperature 2", 2, { "--temperature", "did you mean --beta" } },
    { "flow --B b.npy", 2, { "--B", "did you mean --key-query" } },
    { "flow --xyzzyplugh 1", 2, { "--xyzzyplugh", "unknown option" } },
    { "flow --n 5 --n 6", 2, { "--n", "twice" } },
    { "flow --n 5 --n=6", 2, { "--n", "twice" } },
    { "flow --n", 2, { "--n", "needs a value" } },
    { "flow --n --d 2", 2, { "--n", "needs a value", "--d" } },
    { "flow --json=maybe", 2, { "--json", "yes or no" } },
    { "flow stray", 2, { "stray", "--" } },
    { "flow --steps -1", 2, { "steps = -1", "at least 0" } },
    { "flow --steps 1.5", 2, { "steps = 1.5", "whole number" } },
    { "flow --steps many", 2, { "steps = many", "whole number" } },
    { "flow --n 0", 2, { "n = 0", "1" } },
    { "flow --n 2.5", 2, { "n = 2.5", "whole number" } },
    { "flow --n 1e12 --d 1e9", 2, { "n = 1000000000000", "d = 1000000000", "too large" } },
    { "flow --beta nan", 2, { "beta = nan", "finite" } },
    { "flow --beta hot", 2, { "beta = hot", "neither a number nor a schedule" } },
    { "flow --gamma 0", 2, { "gamma = 0", "above 0 and at most 1" } },
    { "flow --gamma 1.5", 2, { "gamma = 1.5", "above 0 and at most 1" } },
    { "flow --gamma -0.5", 2, { "gamma = -0.5", "above 0 and at most 1" } },
    { "flow --gamma 0.5 --alpha 1", 2, { "gamma and alpha", "one of them" } },
    { "flow --gamma @gamma2.csv",
      1,
      { "gamma", "gamma2.csv", "entry 1 (from 0) is 2, must be above 0" } },
    { "flow --rule softmin", 2, { "rule = softmin", "one of", "softmax" } },
    { "flow --seed -1", 2, { "seed = -1", "from 0" } },
    { "flow --time-limit -1", 2, { "time_limit = -1", "at least 0" } },
    { "flow --every 0", 2, { "every = 0", "1" } },
    { "flow --record nothing", 2, { "record = nothing", "residual" } },
    { "flow --record residual,residual", 2, { "residual", "twice" } },
    { "flow --record residual,", 2, { "record = ", "not a field" } },
    { "flow --record potental", 2, { "record = potental", "did you mean potential?" } },
    { "flow --rule softmax --record dirichlet",
      2,
      { "this flow has none", "hardmax, and localmax" } },
    { "flow --rule localmax --record gap_bound", 2, { "this flow has none", "rule hardmax" } },
    { "flow --rule hardmax --gamma fw --record gap_ratio", 2, { "none", "a constant gamma" } },
    { "flow --n 100 --record tokens --steps 1e12",
      1,
      { "record: 1000000000001 records are 1.61e+06 GB", "of memory", "every" } },
    { "flow --n 100 --record tokens --steps 1e15 --every 1000 --dynamics residual",
      1,
      { "record: 1000000000001 records" } },
    { "flow --record time", 2, { "record = time", "dynamics ode, sa and usa" } },
    { "flow --every 1e99", 2, { "every = 1e99", "from 1 to 1e+18" } },
    { "flow --from every.yaml", 2, { "every.yaml: line 2", "every = 1e99", "from 1 to 1e+18" } },
    { "flow --time inf", 2, { "time = inf", "must be finite and at least 0" } },
    { "flow --time 1e308", 2, { "time = 1e308", "at least 0 and at most 1e+300" } },
    { "flow --from json.yaml", 2, { "json.yaml: line 2", "json", "belongs to the command line" } },
    { "flow --tokens endless.csv", 1, { "endless.csv: row 1, column 1", "1e+308", "overflow" } },
    { "flow --tokens round.npy", 1, { "round.npy: row 1, column 1", "2^53" } },
    { "flow --checkpoint 5", 2, { "checkpoint: applies with out" } },
    { "flow --tokens missing.csv", 1, { "tokens", "missing.csv", "No such file" } },
    { "flow --tokens folder.csv", 1, { "folder.csv", "directory" } },
    { "flow --tokens nan.csv", 1, { "nan.csv", "row 1, column 1", "nan" } },
    { "flow --tokens inf.csv", 1, { "inf.csv", "row 2, column 0", "inf" } },
    { "flow --tokens ragged.csv", 1, { "ragged.csv", "line 2" } },
    { "flow --tokens words.csv", 1, { "words.csv", "two" } },
    { "flow --tokens empty.csv", 1, { "empty.csv" } },
    { "flow --tokens empty.npy", 1, { "empty.npy" } },
    { "flow --tokens lying.npy", 1, { "lying.npy" } },
    { "flow --tokens huge.npy", 1, { "huge.npy" } },
    { "flow --tokens text.npy", 1, { "text.npy", "<U4" } },
    { "flow --tokens plane.xyz", 2, { "plane.xyz", "ending" } },
    { "flow --tokens plane.csv --n 4", 2, { "n = 4", "plane.csv", "n = 3" } },
    { "flow --tokens plane.csv --d 3", 2, { "d = 3", "plane.csv", "d = 2" } },
    { "flow --tokens plane.csv --init sphere", 2, { "init: applies without tokens" } },
    { "flow --tokens plane.csv --masses mass2.csv", 1, { "mass2.csv", "2 x 1", "3" } },
    { "flow --tokens plane.csv --masses mass0.csv", 1, { "mass0.csv", "entry 1", "above 0" } },
    { "flow --key-query matrix3.csv", 1, { "matrix3.csv", "3 x 3", "2 x 2" } },
    { "flow --key-query nan.csv", 1, { "nan.csv", "row 1, column 1" } },
    { "flow --key-query missing.npy", 1, { "missing.npy", "No such file" } },
    { "flow --value strange", 2, { "value = strange", "identity" } },
    { "flow --out missing/x.h5", 1, { "missing/x.h5", "No such file" } },
    { "flow --out x.txt", 2, { "out = x.txt", ".h5" } },
    { "flow --out /proc/x.h5", 1, { "/proc/x.h5" } },
    { "flow --resume missing.h5", 1, { "missing.h5", "no checkpoint" } },
    { "flow --resume missing.h5 --n 5", 2, { "n", "resume", "keeps its options" } },
    { "flow --from missing.yaml", 1, { "missing.yaml", "No such file" } },
    { "flow --from bad.yaml", 2, { "bad.yaml", "beat", "did you mean beta" } },
    { "flow --from value.yaml", 2, { "value.yaml", "2", "beta = hot" } },
    { "flow --from broken.yaml", 1, { "broken.yaml" } },
    { "cels --n 5", 2, { "cels", "unknown verb", "did you mean cells" } },
    { "cells stray", 2, { "stray", "--" } },
    { "cells --json=maybe", 2, { "--json", "yes or no" } },
    { "cells --gamma 0.5", 2, { "--gamma", "unknown option" } },
    { "cells --time-limit 1", 2, { "--time-limit", "unknown option" } },
    { "cells --quary plane.csv", 2, { "--quary", "did you mean --query" } },
    { "cells --key-quary 1", 2, { "--key-quary", "did you mean --key-query" } },
    { "cells --eta", 2, { "--eta", "needs a value" } },
    { "cells --eta 1 --eta 1", 2, { "--eta", "twice" } },
    { "cells --eta -1", 2, { "eta = -1", "at least 0" } },
    { "cells --eta nan", 2, { "eta = nan", "not a number" } },
    { "cells --eta inf", 2, { "eta = inf", "must be finite and at least 0" } },
    { "cells --eta 1e308", 2, { "eta = 1e308", "at least 0 and at most 1e+300" } },
    { "cells --tokens endless.csv",
      1,
      { "endless.csv: row 1, column 1", "must be below 3.18e+307" } },
    { "cells --tokens farther.csv", 1, { "farther.csv: row 1, column 1", "4e+307" } },
    { "threshold --tokens endless.csv", 1, { "endless.csv: row 1, column 1", "overflow" } },
    { "escape --tokens endless.csv", 1, { "endless.csv: row 1, column 1", "overflow" } },
    { "cells --eta much", 2, { "eta = much", "not a number" } },
    { "cells --erode -0.5", 2, { "erode = -0.5", "at least 0" } },
    { "cells --erode inf", 2, { "erode = inf", "must be" } },
    { "cells --n 0", 2, { "n = 0", "1" } },
    { "cells --n 2.5", 2, { "n = 2.5", "whole number" } },
    { "cells --n 1e12 --d 1e9", 2, { "1000000000000", "1000000000", "too" } },
    { "cells --threads -1", 2, { "threads = -1", "from 0 to 1024" } },
    { "cells --seed -1", 2, { "seed = -1", "from 0" } },
    { "cells --init ring", 2, { "init = ring", "one of", "polygon" } },
    { "cells --init polygon --d 3", 2, { "init = polygon", "d = 2" } },
    { "cells --tokens missing.csv", 1, { "tokens", "missing.csv", "No such file" } },
    { "cells --tokens nan.csv", 1, { "tokens", "nan.csv", "row 1, column 1" } },
    { "cells --tokens empty.csv", 1, { "tokens", "empty.csv" } },
    { "cells --tokens plane.xyz", 2, { "plane.xyz", "ending" } },
    { "cells --tokens plane.csv --n 4", 2, { "n = 4", "plane.csv", "n = 3" } },
    { "cells --tokens plane.csv --d 3", 2, { "d = 3", "plane.csv", "d = 2" } },
    { "cells --tokens plane.csv --init sphere", 2, { "init: applies without tokens" } },
    { "cells --query matrix3.csv", 1, { "query", "matrix3.csv: is 3 x 3", "m x 2" } },
    { "cells --query list.npy", 1, { "query", "list.npy: is 4", "m x 2" } },
    { "cells --query none.npy", 1, { "query", "none.npy: is 0 x 2", "a point in each row" } },
    { "cells --query nan.csv", 1, { "query", "nan.csv", "row 1, column 1" } },
    { "cells --query empty.csv", 1, { "query", "empty.csv" } },
    { "cells --query missing.csv", 1, { "query", "missing.csv", "No such file" } },
    { "cells --query plane.xyz", 2, { "query", "plane.xyz", "ending" } },
    { "cells --query=", 2, { "query", "must not be empty" } },
    { "cells --key-query matrix3.csv", 1, { "key_query", "matrix3.csv", "2 x 2" } },
    { "cells --key-query nan", 2, { "key_query = nan", "identity" } },
    { "cells --key-query strange", 2, { "key_query = strange", "identity" } },
    { "cells --out x.npy", 2, { "out = x.npy", "must end in .h5, .json or .csv" } },
    { "cells --out missing/x.h5", 1, { "missing/x.h5", "No such file" } },
    { "cells --from missing.yaml", 1, { "missing.yaml", "No such file" } },
    { "cells --from bad.yaml", 2, { "bad.yaml", "beat", "unknown option" } },
    { "treshold --n 5", 2, { "treshold", "unknown verb", "did you mean threshold" } },
    { "threshold stray", 2, { "stray", "--" } },
    { "threshold --epsilon 0.1", 2, { "--epsilon", "unknown option" } },
    { "threshold --rule hardmax", 2, { "--rule", "unknown option" } },
    { "threshold --mask causal", 2, { "--mask", "unknown option" } },
    { "threshold --dynamics ode", 2, { "--dynamics", "unknown option" } },
    { "threshold --query plane.csv", 2, { "--query", "unknown option" } },
    { "threshold --widht 1", 2, { "--widht", "did you mean --width" } },
    { "threshold --time-limt 1", 2, { "--time-limt", "did you mean --time-limit" } },
    { "threshold --width", 2, { "--width", "needs a value" } },
    { "threshold --width 0 --width 1", 2, { "--width", "twice" } },
    { "threshold --width -1", 2, { "width = -1", "from 0 to 1" } },
    { "threshold --width 2", 2, { "width = 2", "from 0 to 1" } },
    { "threshold --width thin", 2, { "width = thin", "not a number" } },
    { "threshold --gamma fw", 2, { "gamma", "varies with the step", "constant" } },
    { "threshold --gamma @mass2.csv", 1, { "gamma", "mass2.csv", "entry 1 (from 0) is 2" } },
    { "threshold --gamma 0", 2, { "gamma = 0", "above 0 and at most 1" } },
    { "threshold --gamma 0.5 --alpha 1", 2, { "gamma and alpha", "one of them" } },
    { "threshold --alpha -1", 2, { "alpha = -1", "at least 0" } },
    { "threshold --steps -1", 2, { "steps = -1", "at least 0" } },
    { "threshold --time-limit -1", 2, { "time_limit = -1", "at least 0" } },
    { "threshold --n 1e12 --d 1e9", 2, { "n = 1000000000000", "d = 1000000000", "too large" } },
    { "threshold --tokens missing.csv", 1, { "tokens", "missing.csv", "No such file" } },
    { "threshold --tokens nan.csv", 1, { "tokens", "nan.csv", "row 1, column 1" } },
    { "threshold --tokens words.csv", 1, { "words.csv", "two" } },
    { "threshold --tokens plane.csv --n 4", 2, { "n = 4", "plane.csv", "n = 3" } },
    { "threshold --tokens plane.csv --init sphere", 2, { "init: applies without tokens" } },
    { "threshold --tokens plane.csv --masses mass2.csv", 1, { "mass2.csv", "2 x 1", "3" } },
    { "threshold --tokens plane.csv --masses mass0.csv", 1, { "mass0.csv", "above 0" } },
    { "threshold --tokens vast.csv", 1, { "tokens", "more than 1e+300" } },
    { "threshold --key-query matrix3.csv", 1, { "key_query", "matrix3.csv", "2 x 2" } },
    { "threshold --key-query nan", 2, { "key_query = nan", "identity" } },
    { "threshold --out x.npy", 2, { "out = x.npy", "must end in .h5 or .json" } },
    { "threshold --out missing/x.h5", 1, { "missing/x.h5", "No such file" } },
    { "threshold --from bad.yaml", 2, { "bad.yaml", "beat", "unknown option" } },
    { "escpae --n 5", 2, { "escpae", "unknown verb", "did you mean escape" } },
    { "escape stray", 2, { "stray", "--" } },
    { "escape --rule hardmax", 2, { "--rule", "unknown option" } },
    { "escape --masses mass2.csv", 2, { "--masses", "unknown option" } },
    { "escape --radios 1", 2, { "--radios", "did you mean --radius" } },
    { "escape --beta", 2, { "--beta", "needs a value" } },
    { "escape --beta=", 2, { "beta", "must" } },
    { "escape --beta 2,", 2, { "beta = 2,: must be numbers", "separated by commas" } },
    { "escape --beta nan", 2, { "beta = nan", "finite" } },
    { "escape --beta 2,inf", 2, { "beta = 2,inf", "finite" } },
    { "escape --beta hot", 2, { "beta = hot", "must be numbers" } },
    { "escape --beta 6:2", 2, { "beta = 6:2", "upwards" } },
    { "escape --beta 2:6:-1", 2, { "beta = 2:6:-1", "upwards" } },
    { "escape --beta 0:1e12", 2, { "beta = 0:1e12", "at most 100000" } },
    { "escape --radius 0", 2, { "radius = 0", "above 0" } },
    { "escape --radius nan", 2, { "radius = nan", "not a number" } },
    { "escape --runs 0", 2, { "runs = 0", "1" } },
    { "escape --runs 2.5", 2, { "runs = 2.5", "whole number" } },
    { "escape --gamma 0", 2, { "gamma = 0", "above 0 and at most 1" } },
    { "escape --gamma fw", 2, { "gamma = fw", "not a number" } },
    { "escape --dynamics ode", 2, { "dynamics = ode", "one of", "chain" } },
    { "escape --near -1", 2, { "near = -1", "at least 0" } },
    { "escape --tolerance 0", 2, { "tolerance = 0", "1e-10" } },
    { "escape --moves 0", 2, { "moves = 0", "1" } },
    { "escape --time-limit -1", 2, { "time_limit = -1", "at least 0" } },
    { "escape --init polygon --d 3", 2, { "init = polygon", "d = 2" } },
    { "escape --tokens missing.csv", 1, { "tokens", "missing.csv", "No such file" } },
    { "escape --tokens nan.csv", 1, { "tokens", "nan.csv", "row 1, column 1" } },
    { "escape --tokens wall.csv", 1, { "token 2", "wall", "no group" } },
    { "escape --tokens plane.csv --n 4", 2, { "n = 4", "plane.csv", "n = 3" } },
    { "escape --key-query matrix3.csv", 1, { "key_query", "matrix3.csv", "2 x 2" } },
    { "escape --out x.npy", 2, { "out = x.npy", "must end in .h5, .json or .csv" } },
    { "escape --out missing/x.h5", 1, { "missing/x.h5", "No such file" } },
    { "escape --from bad.yaml", 2, { "bad.yaml", "beat", "did you mean beta" } },
    { "margn --data attsvm", 2, { "margn", "unknown verb", "did you mean margin" } },
    { "margin", 2, { "data: which data?", "such as attsvm" } },
    { "margin stray", 2, { "stray", "--" } },
    { "margin --dta axes.json", 2, { "--dta", "did you mean --data" } },
    { "margin --tokens plane.csv", 2, { "--tokens", "unknown option" } },
    { "margin --beta 3", 2, { "--beta", "unknown option" } },
    { "margin --data axes.json --data axes.json", 2, { "--data", "twice" } },
    { "margin --data", 2, { "--data", "needs a value" } },
    { "margin --data missing.json", 1, { "data: missing.json", "No such file" } },
    { "margin --data atsvm", 2, { "data = atsvm", "no such data set", "did you mean attsvm" } },
    { "margin --data strange", 2, { "data = strange", "FILE.json", "name of a data set" } },
    { "margin --data plane.csv", 2, { "data = plane.csv", "FILE.json" } },
    { "margin --data cut.json", 1, { "data: cut.json: line 1" } },
    { "margin --data label.json", 1, { "label.json: y[0] is 2", "must be -1 or 1" } },
    { "margin --data typo.json", 1, { "typo.json: Y: unknown key", "did you mean y" } },
    { "margin --data uneven.json", 1, { "uneven.json: X" } },
    { "margin --data axes.json --n 3", 2, { "n = 3", "axes.json", "2" } },
    { "margin --data axes.json --norm l7", 2, { "norm = l7", "one of l2, lp, l1" } },
    { "margin --data axes.json --norm lp --p 1", 2, { "p = 1", "above 1 and at most 1000" } },
    { "margin --data axes.json --norm l1 --p 3",
      2,
      { "p = 3", "exponent of norm = lp, not of l1" } },
    { "margin --data axes.json --p big", 2, { "p = big", "not a number" } },
    { "margin --data axes.json --model crosss", 2, { "model = crosss", "one of", "cross" } },
    { "margin --data axes.json --model cross", 2, { "queries z are missing", "cross model" } },
    { "margin --data axes.json --model graph", 2, { "vocabulary is missing", "graph" } },
    { "margin --data axes.json --select 0",
      2,
      { "select = 0: has tokens for 1 inputs, and the data have 2" } },
    { "margin --data axes.json --select 0,0,1",
      2,
      { "has tokens for 3 inputs, and the data have 2" } },
    { "train --data attsvm --optimizer sgd", 2, { "hypentropy, cosh; did you mean gd?" } },
    { "margin --data axes.json --select 0,2", 2, { "select = 0,2: input 1", "from 0 to 1" } },
    { "margin --data axes.json --select 0|0,1", 2, { "select = 0|0,1: input 0", "0 twice" } },
    { "margin --data axes.json --select best", 2, { "select = best", "separated by commas" } },
    { "margin --data bare.json", 2, { "select", "no decoder v", "name the tokens" } },
    { "margin --data axes.json --relaxed 2", 2, { "relaxed = 2", "auto, or inputs from 0 to 1" } },
    { "margin --data axes.json --relaxed auto --model sequence",
      2,
      { "relaxed = auto", "one token for each input" } },
    { "margin --data axes.json --mask causal",
      2,
      { "mask: applies with model sequence", "model is prompt" } },
    { "margin --data axes.json --row 1", 2, { "row: applies with model self", "model is prompt" } },
    { "margin --data axes.json --tolerance 2", 2, { "tolerance = 2", "from 0 to 1" } },
    { "margin --data axes.json --iterations 0", 2, { "iterations = 0", "1" } },
    { "margin --data axes.json --threads -1", 2, { "threads = -1", "from 0 to 1024" } },
    { "margin --data axes.json --seed -1", 2, { "seed = -1", "from 0" } },
    { "margin --data axes.json --time-limit -1", 2, { "time_limit = -1", "at least 0" } },
    { "margin --data attsvm --enumerate", 2, { "enumerate", "more than 100000 selections" } },
    { "margin --data axes.json --enumerate --model label", 2, { "enumerate: is for prompt" } },
    { "margin --data axes.json --equal missing.json", 1, { "equal: missing.json", "No such" } },
    { "margin --data axes.json --equal sets.json", 1, { "sets.json", "1 lists: must be 2" } },
    { "margin --data axes.json --equal sets3.json", 1, { "sets[0][1] is 3", "from 0 to 1" } },
    { "margin --data bare.json --equal sets.json --select 0", 2, { "equal and select", "one" } },
    { "margin --data axes.json --direction p3.json",
      1,
      { "p3.json: p is 3", "must be 2 numbers" } },
    { "margin --data axes.json --direction w2.json", 1, { "w2.json: p: is missing" } },
    { "margin --data axes.json --model label --direction sets.json",
      1,
      { "direction: sets.json" } },
    { "margin --data axes.json --dump x.txt", 2, { "dump: x.txt", ".json or .h5" } },
    { "margin --data axes.json --dump missing/x.json", 1, { "dump", "missing/x.json", "No such" } },
    { "margin --data axes.json --out x.npy",
      2,
      { "out = x.npy", "must end in .h5, .json or .csv" } },
    { "margin --data axes.json --out missing/x.h5", 1, { "missing/x.h5", "No such file" } },
    { "margin --problem missing.json", 1, { "problem: missing.json", "No such file" } },
    { "margin --problem plane.csv", 2, { "problem: plane.csv", "ends in .json or .h5" } },
    { "margin --problem axes.json", 1, { "problem: axes.json: X: unknown key" } },
    { "margin --problem problem.json", 1, { "problem: problem.json: p: is missing" } },
    { "margin --problem x.json --data axes.json", 2, { "data and problem", "one of them" } },
    { "margin --problem x.json --select 0", 2, { "select: applies without problem" } },
    { "margin --problem x.json --n 3", 2, { "n: is for data", "constraints already" } },
    { "margin --from missing.yaml", 1, { "missing.yaml", "No such file" } },
    { "margin --from norm.yaml", 2, { "norm.yaml", "2", "norm = l7" } },
    { "margin --from bad.yaml", 2, { "bad.yaml", "beat", "unknown option" } },
    { "trian --data attsvm", 2, { "trian", "unknown verb", "did you mean train" } },
    { "train", 2, { "data: which data?" } },
    { "train stray", 2, { "stray", "--" } },
    { "train --optimiser gd", 2, { "--optimiser", "did you mean --optimizer" } },
    { "train --select 1", 2, { "--select", "unknown option" } },
    { "train --data axes.json --optimizer sgd", 2, { "optimizer = sgd", "one of gd, ngd" } },
    { "train --data axes.json --loss hinge", 2, { "loss = hinge", "one of logistic" } },
    { "train --data axes.json --model crosss", 2, { "model = crosss", "one of" } },
    { "train --data axes.json --eta 0", 2, { "eta = 0", "above 0" } },
    { "train --data axes.json --eta nan", 2, { "eta = nan", "not a number" } },
    { "train --data axes.json --steps -1", 2, { "steps = -1", "from 0" } },
    { "train --data axes.json --steps many", 2, { "steps = many", "whole number" } },
    { "train --data axes.json --steps 1.5", 2, { "steps = 1.5", "whole number" } },
    { "train --data axes.json --optimizer mirror --p 1", 2, { "p = 1", "above 1" } },
    { "train --data axes.json --time-limit -1", 2, { "time_limit = -1", "at least 0" } },
    { "train --data bare.json", 2, { "data", "needs a decoder v" } },
    { "train --data missing.json", 1, { "data: missing.json", "No such file" } },
    { "train --data cut.json", 1, { "data: cut.json" } },
    { "train --data axes.json --start ones", 2, { "start = ones", "zeros, normal, uniform" } },
    { "train --data axes.json --start missing.json", 1, { "start: missing.json", "No such file" } },
    { "train --data axes.json --start w2.json", 1, { "start: w2.json: p: is missing" } },
    { "train --data axes.json --start p3.json", 1, { "start: p3.json: p is 3", "2 numbers" } },
    { "train --data attsvm --model kq", 2, { "K and Q that are both zero never move" } },
    { "train --data axes.json --out x.npy",
      2,
      { "out = x.npy", "must end in .h5, .json or .csv" } },
    { "train --data axes.json --out missing/x.h5", 1, { "missing/x.h5", "No such file" } },
    { "train --from norm.yaml", 2, { "norm.yaml", "norm", "unknown option" } },
    { "help cels", 2, { "cels", "did you mean cells" } },
    { "help --generate poem", 2, { "generate = poem", "one of" } },
    { "help flwo", 2, { "flwo", "did you mean flow" } },
    { "doctor --n 5", 2, { "--n", "unknown option" } },
};

static void bad_input_is_refused_by_name(void **state)
{
    (void)state;
    int files = scratch_count();
    for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++) {
        const char *line = refused[k].line;
        if (tropism(line) != refused[k].code) {
            fail_with_answer(line, "another exit code was expected");
        }
        for (int w = 0; w < 3 && refused[k].words[w]; w++) {
            if (!strstr(answer.err, refused[k].words[w])) {
                fail_with_answer(line, refused[k].words[w]);
            }
        }
        if (answer.out[0]) {
            fail_with_answer(line, "stdout must be empty");
        }
        if (scratch_count() != files) {
            fail_with_answer(line, "something was written");
        }
    }
}

/* Whatever a softmax layer cannot record, the sentence says what can. */
static void every_field_that_a_flow_lacks_names_the_flows_that_have_it(void **state)
{
    int lacking = 0;

    (void)state;
    for (const struct trop_field *field = trop_flow_watch_table(); field->name; field++) {
        char line[128];
        snprintf(line, sizeof line, "flow --n 4 --steps 1 --rule softmax --record %s", field->name);
        if (tropism(line) != 0) {
            lacking++;
            if (!strstr(answer.err, "this flow has none; it is of ")) {
                fail_with_answer(line, "must say which flows have it");
            }
        }
    }
    assert_int_equal(lacking,
                     7); /* time, its logarithm, interaction, dirichlet and gaps, with kin */
}

static void a_full_disk_leaves_nothing_behind(void **state)
{
    static const char *const lines[] = { "flow --n 500 --steps 1 --out big.h5",
                                         "flow --n 500 --steps 1 --out big.npy",
                                         "flow --n 500 --steps 1 --out big.json",
                                         "flow --n 500 --steps 9 --out big.h5 --checkpoint 3",
                                         "cells --n 500 --out big.h5",
                                         "cells --n 500 --out big.json" };
    (void)state;
    int files = scratch_count();
    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++) {
        finish(start(lines[k], 2048));
        if (answer.code != 1 || !strstr(answer.err, "File too large")) {
            fail_with_answer(lines[k], "must fail for want of room");
        }
        if (scratch_count() != files) {
            fail_with_answer(lines[k], "something was left behind");
        }
    }
}

static void a_result_that_nobody_can_read_is_a_failure(void **state)
{
    char command[600];
    (void)state;
    snprintf(command, sizeof command, "%s/tropism flow --n 5 --steps 1 --json >/dev/full 2>&1",
             getenv("TROP_BUILD"));
    assert_int_equal(WEXITSTATUS(system(command)), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_input_is_refused_by_name),
        cmocka_unit_test(every_field_that_a_flow_lacks_names_the_flows_that_have_it),
        cmocka_unit_test(a_full_disk_leaves_nothing_behind),
        cmocka_unit_test(a_result_that_nobody_can_read_is_a_failure),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
