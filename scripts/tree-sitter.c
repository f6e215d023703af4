/* The parser's runtime, as its own `lib.c` puts it together, but for what it can log and draw: nothing here ever asks for that, and it
 * is a seventh of the code. What writes to a log traps: no logger is ever set. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Bytes that are allocated, which the allocator counts, and how many of them may be. A parse that goes over it stops, as one that took too
 * much work does: a few KB of brackets can be ambiguous enough for gigabytes, with little work. */
size_t espalier_live = 0;
size_t espalier_most = SIZE_MAX;

#define TO_A_READER(...) (__builtin_trap(), 0)

#include "./alloc.c"
#include "./get_changed_ranges.c"
#include "./language.c"

#define snprintf TO_A_READER
#define vsnprintf TO_A_READER
#define fprintf TO_A_READER
#define fputs TO_A_READER
#define fputc TO_A_READER
#include "./lexer.c"

/* Merging two stacks recurses down both of them. Beyond this depth they stay apart, and the parse stops: elsewhere it would overflow
 * the stack of the host. What a use is, is told by its first word: that of the definition, of the first call or of the recursive one. */
#define DEEPEST 1000
static unsigned merge_depth = 0;
#define stack_node_add_link(node, ...) ADD_LINK_##node, __VA_ARGS__)
#define ADD_LINK_StackNode add_link(StackNode
#define ADD_LINK_head1 add_link(head1
#define ADD_LINK_existing_link ADD_DEEPER_LINK(existing_link
#define ADD_DEEPER_LINK(node, link, pool) \
  if (merge_depth < DEEPEST) { merge_depth++; add_link(node, link, pool); merge_depth--; } else espalier_most = 0

/* Letting go of a stack goes down all its ways, too: those but the first wait in a list until that one is gone, where the runtime would
 * recurse. */
static Array(void *) late_nodes;
#define stack_node_release(node, ...) RELEASE_##node, __VA_ARGS__)
#define RELEASE_StackNode release_node(StackNode
#define RELEASE_link RELEASE_LATER(link
#define RELEASE_self RELEASE_ALL(self
#define RELEASE_LATER(node, pool, subtrees) array_push(&late_nodes, node)
#define RELEASE_ALL(node, pool, subtrees) \
  do { \
    release_node(node, pool, subtrees); \
    while (late_nodes.size > 0) release_node(late_nodes.contents[--late_nodes.size], pool, subtrees); \
  } while (0)

/* All ways down a stack are looked for at once, each with a list of what lies on it: that can be gigabytes within one action. Over the limit
 * the first way is gone to its end, since whoever asked needs one, and no other; the parse is over. */
#define callback(payload, iterator) \
  (espalier_live > espalier_most && (espalier_most = 0, i > 0 || self->slices.size > 0) ? StackActionStop : callback(payload, iterator))
#include "./stack.c"
#undef stack_node_add_link
#undef stack_node_release
#undef callback

/* Whoever is over the limit is asked at once whether to go on, and not only at every hundredth action: one can take a megabyte. */
#define ts_parser__check_progress(parser, ...) (CHECK_##parser, __VA_ARGS__))
#define CHECK_TSParser check_progress(TSParser
#define CHECK_self \
  espalier_live > espalier_most ? (self->operation_count = OP_COUNT_PER_PARSER_CALLBACK_CHECK) : 0, check_progress(self
#include "./parser.c"
#undef ts_parser__check_progress
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
