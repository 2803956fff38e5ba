/** A D1 whose first round trip fails: `before` it has taken effect, or `after`, when only the answer is lost. */
export function failingOnce(d1: D1Database, when: 'before' | 'after'): D1Database {
  let failures = 0;
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    if (failures++ > 0) return work();
    if (when === 'after') await work();
    throw new Error('D1_ERROR: the connection is lost');
  };
  const statement = (native: D1PreparedStatement): D1PreparedStatement =>
    Object.assign(Object.create(native), {
      bind: (...values: unknown[]) => statement(native.bind(...values)),
      all: () => run(() => native.all()),
    });
  const session = d1.withSession();
  // The service calls no more of D1 than this.
  const failing = {
    prepare: (sql: string) => statement(session.prepare(sql)),
    batch: (list: D1PreparedStatement[]) => run(() => session.batch(list)),
    getBookmark: () => null,
  };
  return { withSession: () => failing } as unknown as D1Database;
}
