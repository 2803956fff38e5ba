/** Sees the statements of each round trip before it, and may delay it or throw instead. */
export type Watch = (statements: string) => void | Promise<void>;

/** A database whose round trips are watched. */
export function watched(d1: D1Database, watch: Watch): D1Database {
  interface Statement {
    text: string;
    native: D1PreparedStatement;
    bind(...values: unknown[]): Statement;
    all(): Promise<D1Result>;
  }
  const ofStatement = (text: string, native: D1PreparedStatement): Statement => ({
    ...{ text, native },
    bind: (...values: unknown[]) => ofStatement(text, native.bind(...values)),
    all: async () => {
      await watch(text);
      return native.all();
    },
  });
  const ofSession = (session: D1DatabaseSession) => ({
    prepare: (text: string) => ofStatement(text, session.prepare(text)),
    batch: async (statements: Statement[]) => {
      await watch(statements.map(({ text }) => text).join(';'));
      return session.batch(statements.map(({ native }) => native));
    },
    getBookmark: () => session.getBookmark(),
  });
  return { withSession: (constraint?: string) => ofSession(d1.withSession(constraint)) } as unknown as D1Database;
}

/** The steps of a move in order, each with a marker in its first round trip. */
export const STEPS = {
  begins: /^insert into "account_moves"/,
  'puts triggers on tables': /CREATE TRIGGER/,
  'stores a copy of the account': /(^|;)insert into "accounts"/,
  'copies passes': /insert into "passes"/,
  'indexes passes': /into pass_terms/,
  'copies events': /insert into "account_events"/,
  'copies the last large table': /insert into "daily_counts"/,
  'watches the copy': /^select json\(.*CREATE TRIGGER/s,
  'looks at changes': /^select .* from "account_changes"/,
  'refuses writes': /set "blocked_until_at" = unixepoch/,
  'copies small tables': /insert into "templates"/,
  'copies counts': /insert into "hourly_counts"/,
  compares: /pass_terms_docsize/,
  seals: /set "step" = \?, "is_sealed" = \?, "rows" = \?/,
  'makes the copy the account': /update "accounts" set .*"lives_in" = \?.*where "accounts"."id" = \?($|;)/,
  'changes the map': /^insert into "shard_places"/,
  'makes the account a copy': /update "accounts" set .*"lives_in" is null/,
};
