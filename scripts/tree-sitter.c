/* The parser's runtime, as its own `lib.c` puts it together, but for what it can log and draw: nothing here ever asks for that, and it
 * is a seventh of the code. What is written only if there is somebody to read it counts as never reached. */
#include <stdio.h>

#define TO_A_READER(...) (__builtin_unreachable(), 0)

#include "./alloc.c"
#include "./get_changed_ranges.c"
#include "./language.c"

#define snprintf TO_A_READER
#define vsnprintf TO_A_READER
#define fprintf TO_A_READER
#define fputs TO_A_READER
#define fputc TO_A_READER
#include "./lexer.c"
#include "./stack.c"
#include "./parser.c"
#undef snprintf
#undef vsnprintf
#undef fprintf
#undef fputs
#undef fputc

#include "./node.c"
#include "./point.c"
#include "./query.c"
#include "./subtree.c"
#include "./tree_cursor.c"
#include "./tree.c"
#include "./wasm_store.c"

#include "./wasm-stdlib/libc.c"
#include "./wasm-stdlib/stdio.c"
