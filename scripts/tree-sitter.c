/* The parser's runtime, as its own `lib.c` puts it together, but for what it can log and draw: nothing here ever asks for that, and it
 * is a seventh of the code. What is written only if there is somebody to read it counts as never reached. */
#include <stdio.h>

#define TO_A_READER(...) (__builtin_unreachable(), 0)

/* What is not called for every token is as small as can be: what begins, ends and describes, goes on from an old tree, and finds a way on
 * behind an error. It also stays out of what is called for every token. */
#define RARE __attribute__((minsize, noinline))
#define RARE_FROM_HERE _Pragma("clang attribute push(__attribute__((minsize)), apply_to = function)")
#define RARE_TO_HERE _Pragma("clang attribute pop")

RARE_FROM_HERE
#include "./alloc.c"
#include "./get_changed_ranges.c"
#include "./language.c"
RARE_TO_HERE

#include "./lexer.h"
#include "./stack.h"
#include "./subtree.h"

#define snprintf TO_A_READER
#define vsnprintf TO_A_READER
#define fprintf TO_A_READER
#define fputs TO_A_READER
#define fputc TO_A_READER
static uint32_t ts_lexer__get_column(TSLexer *) RARE;
void ts_lexer_init(Lexer *) RARE;
bool ts_lexer_set_included_ranges(Lexer *, const TSRange *, uint32_t) RARE;
#include "./lexer.c"

Stack *ts_stack_new(SubtreePool *) RARE;
void ts_stack_delete(Stack *) RARE;
void ts_stack_clear(Stack *) RARE;
void ts_stack_record_summary(Stack *, StackVersion, unsigned) RARE;
SubtreeArray ts_stack_pop_error(Stack *, StackVersion) RARE;
bool ts_stack_has_advanced_since_error(const Stack *, StackVersion) RARE;
#include "./stack.c"

static bool ts_parser__breakdown_top_of_stack(TSParser *, StackVersion) RARE;
static bool ts_parser__has_included_range_difference(const TSParser *, uint32_t, uint32_t) RARE;
static bool ts_parser__select_children(TSParser *, Subtree, const SubtreeArray *) RARE;
static void ts_parser__accept(TSParser *, StackVersion, Subtree) RARE;
static bool ts_parser__do_all_potential_reductions(TSParser *, StackVersion, TSSymbol) RARE;
static bool ts_parser__recover_to_state(TSParser *, StackVersion, unsigned, TSStateId) RARE;
static void ts_parser__recover(TSParser *, StackVersion, Subtree) RARE;
static void ts_parser__handle_error(TSParser *, StackVersion, Subtree) RARE;
static bool ts_parser__balance_subtree(TSParser *) RARE;
static void ts_parser__external_scanner_create(TSParser *) RARE;
static void ts_parser__external_scanner_destroy(TSParser *) RARE;
TSParser *ts_parser_new(void) RARE;
void ts_parser_delete(TSParser *) RARE;
void ts_parser_reset(TSParser *) RARE;
bool ts_parser_set_language(TSParser *, const TSLanguage *) RARE;
#include "./parser.c"
#undef snprintf
#undef vsnprintf
#undef fprintf
#undef fputs
#undef fputc

RARE_FROM_HERE
#include "./node.c"
#include "./point.c"
#include "./query.c"
RARE_TO_HERE

void ts_subtree_pool_delete(SubtreePool *) RARE;
void ts_subtree_array_reverse(SubtreeArray *) RARE;
Subtree ts_subtree_new_error(SubtreePool *, int32_t, Length, Length, uint32_t, TSStateId, const TSLanguage *) RARE;
Subtree ts_subtree_new_error_node(SubtreeArray *, bool, const TSLanguage *) RARE;
Subtree ts_subtree_edit(Subtree, const TSInputEdit *, SubtreePool *) RARE;
#include "./subtree.c"
#include "./tree_cursor.c"

RARE_FROM_HERE
#include "./tree.c"
#include "./wasm_store.c"

#include "./wasm-stdlib/libc.c"
#include "./wasm-stdlib/stdio.c"
RARE_TO_HERE
