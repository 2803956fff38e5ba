-- The words of each pass (domain/passes/search-terms.ts), which drizzle has no table type for: `rowid` is `passes.key`. The texts themselves are not kept, a list is
-- the passes that have a word. `pass_term_counts` tells how many passes have each word.
CREATE VIRTUAL TABLE `pass_terms` USING fts5(`terms`, tokenize = 'ascii', content = '', contentless_delete = 1, detail = 'none');--> statement-breakpoint
CREATE VIRTUAL TABLE `pass_term_counts` USING fts5vocab('pass_terms', 'row');
