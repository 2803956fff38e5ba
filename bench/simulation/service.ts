import { Random } from '../../test/support/random.ts';

/*
 * A service of a billion passes, month by month: accounts of very different sizes come and grow, each new one goes to
 * the database with the most room, and one that is too large for its database moves. What one thing takes is measured
 * (docs/performance.md has the source of each number); how much happens is assumed.
 */

/** What one thing takes. */
export interface Taken {
  /** Bytes of a pass with its indexes, its search index, its device and the event of its creation. */
  passBytes: number;
  /** Bytes of a change, each times the months for which it is kept. */
  changeBytes: number;
  /** Rows that D1 writes, and reads, for a change and what follows it, until the last of it is deleted. */
  changeRowsWritten: number;
  changeRowsRead: number;
  /** Milliseconds for which a change and what follows it keep their database busy. */
  changeMillis: number;
  /** Queue messages of a change: its pushes and deliveries. */
  changeMessages: number;
  /** Requests of a change: the call, its consumers, and what the device asks; and milliseconds of their code. */
  changeRequests: number;
  changeCpuMillis: number;
  /** Rows that a minute of the cron reads in a database without work, more for each of its accounts, and writes. */
  tickRowsRead: number;
  tickRowsOfAccount: number;
  tickRowsWritten: number;
  /** Passes a second that a move copies, with what belongs to them. */
  movedPerSecond: number;
}

/** How much happens. */
export interface Assumed {
  databases: number;
  passes: number;
  accounts: number;
  /** The largest account, in passes. */
  largestAccount: number;
  changesAMonth: number;
  /** Share by which the passes of an account grow in a month, on average; none shrinks, none grows twice as fast. */
  growth: number;
  months: number;
  /** How many times the average the busiest minute of a month is. */
  peak: number;
}

interface Account {
  passes: number;
  growth: number;
}

interface Database {
  accounts: Account[];
  passes: number;
}

/** What the service looks like at the end, and what its months were like. */
export interface Simulated {
  passes: number;
  accounts: number;
  /** Databases that have accounts; more than there were at first where room ran out. */
  databases: number;
  /** Accounts that no longer fit into a database of their own. */
  outgrown: number;
  /** Share of the 10 GB that the median, and the fullest, database has taken; above 1 what it would take. */
  fullness: { median: number; most: number };
  /** Share of time for which the busiest database is busy in the busiest minute. */
  busiest: number;
  /** Moves of accounts in a month, on average, and passes in the largest of them. */
  movesAMonth: number;
  largestMove: number;
  /** Minutes that the largest move takes. */
  longestMoveMinutes: number;
  /** Of the last month. */
  changes: number;
  rowsWritten: number;
  rowsRead: number;
  requests: number;
  cpuMillis: number;
  ticks: number;
  queueMessages: number;
  storedBytes: number;
}

/** Cloudflare, D1 "Limits": 10 GB a database. */
const DATABASE_BYTES = 10e9;
/** A database takes no new accounts when so much of it is taken, and one that has more gives an account away. */
const FULL = 0.8;
const TOO_FULL = 0.9;
const MINUTES_A_MONTH = 30 * 24 * 60;
const PRECISION = 1_000_000;
/** An estimate: some fifty tasks, most of which ask once. */
const TICK_CPU_MILLIS = 30;

/** Passes of accounts, a few of them very large: the nth has a share that falls with n. Their sum is `passes`. */
function sizesOf({ accounts, passes, largestAccount }: Assumed): number[] {
  const shares = Array.from({ length: accounts }, (_, n) => (n + 1) ** -0.9);
  const sum = shares.reduce((all, share) => all + share, 0);
  const sizes = shares.map((share) => Math.min(largestAccount, (passes * share) / sum));
  // What the largest may not have, the others have.
  const rest = passes / sizes.reduce((all, size) => all + size, 0);
  return sizes.map((size) => Math.max(1, Math.min(largestAccount, Math.round(size * rest))));
}

/** Lets the months pass. */
export function simulate(taken: Taken, assumed: Assumed): Simulated {
  const numbers = new Random(20_261_123);
  const random = () => numbers.below(PRECISION) / PRECISION;
  const bytesOfPass = taken.passBytes + assumed.changesAMonth * taken.changeBytes;
  const holds = DATABASE_BYTES / bytesOfPass;
  const databases: Database[] = Array.from({ length: assumed.databases }, () => ({ accounts: [], passes: 0 }));
  const roomiest = () => databases.reduce((best, one) => (one.passes < best.passes ? one : best));
  const place = (account: Account) => {
    let database = roomiest();
    // One more is bound when all have taken what they take.
    if (database.passes + account.passes > holds * FULL) {
      database = { accounts: [], passes: 0 };
      databases.push(database);
    }
    database.accounts.push(account);
    database.passes += account.passes;
  };
  // Small and large ones come in any order.
  const sizes = sizesOf(assumed)
    .map((passes) => ({ passes, order: random() }))
    .sort((a, b) => a.order - b.order);
  for (const { passes } of sizes) place({ passes: passes * (1 + assumed.growth) ** -assumed.months, growth: random() });
  let [moves, largestMove] = [0, 0];
  for (let month = 0; month < assumed.months; month++) {
    for (const database of databases) {
      for (const account of database.accounts) account.passes *= 1 + 2 * assumed.growth * account.growth;
      database.passes = database.accounts.reduce((sum, { passes }) => sum + passes, 0);
    }
    for (const database of [...databases]) {
      while (database.passes > holds * TOO_FULL && database.accounts.length > 1) {
        const moved = largestThatFits(database, holds * FULL - roomiest().passes);
        database.accounts.splice(database.accounts.indexOf(moved), 1);
        database.passes -= moved.passes;
        place(moved);
        moves += 1;
        largestMove = Math.max(largestMove, moved.passes);
      }
    }
  }
  return totals(taken, assumed, databases, { bytesOfPass, moves, largestMove });
}

/** The account whose move makes the most room, if it fits elsewhere; the smallest one otherwise. */
function largestThatFits({ accounts }: Database, room: number): Account {
  const sorted = accounts.toSorted((a, b) => b.passes - a.passes);
  return sorted.find(({ passes }) => passes <= room) ?? sorted.at(-1)!;
}

function totals(
  taken: Taken,
  { changesAMonth, months, peak }: Assumed,
  databases: Database[],
  { bytesOfPass, moves, largestMove }: { bytesOfPass: number; moves: number; largestMove: number },
): Simulated {
  const used = databases.filter(({ accounts }) => accounts.length > 0).sort((a, b) => a.passes - b.passes);
  const passes = used.reduce((sum, one) => sum + one.passes, 0);
  const changes = passes * changesAMonth;
  const fullness = (one: Database) => (one.passes * bytesOfPass) / DATABASE_BYTES;
  const fullest = used.at(-1)!;
  const ticks = used.length * MINUTES_A_MONTH;
  const changesASecond = (fullest.passes * changesAMonth) / (MINUTES_A_MONTH * 60);
  const all = used.flatMap(({ accounts }) => accounts);
  const tickRowsRead = ticks * taken.tickRowsRead + all.length * MINUTES_A_MONTH * taken.tickRowsOfAccount;
  return {
    passes,
    accounts: all.length,
    databases: used.length,
    outgrown: all.filter((account) => account.passes * bytesOfPass > DATABASE_BYTES).length,
    fullness: { median: fullness(used[Math.floor(used.length / 2)]!), most: fullness(fullest) },
    busiest: (changesASecond * peak * taken.changeMillis) / 1_000,
    movesAMonth: moves / months,
    largestMove,
    longestMoveMinutes: largestMove / taken.movedPerSecond / 60,
    changes,
    rowsWritten: changes * taken.changeRowsWritten + ticks * taken.tickRowsWritten,
    rowsRead: changes * taken.changeRowsRead + tickRowsRead,
    requests: changes * taken.changeRequests + ticks,
    cpuMillis: changes * taken.changeCpuMillis + ticks * TICK_CPU_MILLIS,
    ticks,
    queueMessages: changes * taken.changeMessages + ticks,
    storedBytes: passes * bytesOfPass,
  };
}
