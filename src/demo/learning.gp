# The picture of the README: what one minute of `pollux demo` learns and finds.
#
#   pollux demo --seed 11 --database demo.db --json > demo.json
#   gnuplot src/demo/learning.gp > src/demo/learning.svg
#
# Shares come from the database; true rates, and what uniform polling would have found, are known
# to the demo alone and come from its report.

truth(list) = "from json_each(readfile('demo.json'), '$." . list . "') as t"
timeline = '< sqlite3 -readonly -separator " " demo.db "select t.value->>''at'', t.value->>''changes_made'', t.value->>''changes_found'', t.value->>''uniform_would_find'' ' . truth("timeline") . '"'
shares = '< sqlite3 -readonly -separator " " demo.db "select t.value->>''true_rate'', 100 * page.share, page.polls ' . truth("watched") . ' join page on page.url = t.value->>''url'' where t.value->>''true_rate'' > 0"'

set terminal svg size 960,400 dynamic font "Helvetica,Arial,sans-serif,13" background "#ffffff"
set multiplot layout 1,2 margins 0.085,0.98,0.14,0.90 spacing 0.095
set border 3 lc rgb "#555555"
set tics nomirror textcolor rgb "#333333"
set grid lc rgb "#e4e4e4" lt 1

set title "Changes found: 300 pages, 60 polls per second"
set xlabel "seconds"
set ylabel "changes"
set xrange [0:60]
set yrange [0:*]
set key top left reverse Left samplen 2 textcolor rgb "#333333"
plot timeline using 1:3 with lines lw 3 lc rgb "#1b7f3b" title "Pollux", \
     timeline using 1:4 with lines lw 3 lc rgb "#d98200" title "polling every page in turn, as often"

stats shares using 1 nooutput name "rate"
set title "Where the budget goes: one dot is one page"
set xlabel "true changes per second (unknown to Pollux)"
set ylabel "share of the budget, %" offset 1,0
set logscale xy
set format x "%g"
set format y "%g"
set xrange [0.009:20]
set yrange [0.009:60]
plot 100 * x / rate_sum with lines lw 2 dt 2 lc rgb "#888888" title "the best possible share", \
     100.0 / 300 with lines lw 2 lc rgb "#d98200" title "uniform", \
     shares using 1:2 with points pt 7 ps 0.45 lc rgb "#1b7f3b" title "learnt in one minute"
unset multiplot
