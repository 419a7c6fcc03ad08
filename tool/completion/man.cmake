# Makes catt-rewrite.1 from what `catt-rewrite --help` says, so that the page
# cannot say anything else.
#   cmake -DTOOL=<catt-rewrite> -DVERSION=<version> -DOUT=<file> -P man.cmake
execute_process(COMMAND "${TOOL}" --help OUTPUT_VARIABLE help
                COMMAND_ERROR_IS_FATAL ANY)
# roff takes a backslash, and a dot at the beginning of a line, for its own.
string(REPLACE "\\" "\\e" help "${help}")
string(REPLACE "-" "\\-" help "${help}")
string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\\\&\\2" help "${help}")
# What stands before the options, the options, and what stands behind them.
string(FIND "${help}" "OPTIONS:" begin)
string(FIND "${help}" "\nTransforms:" end)
string(SUBSTRING "${help}" 0 ${begin} overview)
math(EXPR length "${end} - ${begin}")
string(SUBSTRING "${help}" ${begin} ${length} options)
string(SUBSTRING "${help}" ${end} -1 rest)
string(REGEX REPLACE "OVERVIEW: |USAGE: [^\n]*\n" "" overview "${overview}")
# "  --name=<value>   - text" and its indented lines become a paragraph.
string(REGEX REPLACE "\n  +(\\\\-[^\n]*[^ \n]) +\\\\- ([^\n]*)"
       "\n.TP\n.B \\1\n\\2" options "${options}")
string(REGEX REPLACE "OPTIONS:|\n[^\n]*(Generic Options|catt[^\n]*rewrite options|:)[^\n]*:?\n"
       "\n" options "${options}")
string(REGEX REPLACE "\n +" "\n" options "${options}")
string(REGEX REPLACE "\n\n+" "\n" options "${options}")
file(WRITE "${OUT}.tmp" ".TH CATT\\-REWRITE 1 \"\" \"catt\\-rewrite ${VERSION}\"
.SH NAME
catt\\-rewrite \\- rewrites CUDA sources so that loops fit the L1 cache
.SH SYNOPSIS
.B catt\\-rewrite
[options] <file>... [\\-\\- <compile flags>]
.SH DESCRIPTION
.nf
${overview}
.fi
.SH OPTIONS
${options}
.SH TRANSFORMS, EXIT CODES
.nf
${rest}
.fi
.SH FILES
.TP
.I .catt
settings of the sources below its directory; \\-\\-dump\\-config shows what applies
.TP
.I compile_commands.json
how sources are compiled
")
file(RENAME "${OUT}.tmp" "${OUT}")
