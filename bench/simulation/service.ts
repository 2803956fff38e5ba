import { Random } from '../../test/support/random.ts';

/*
 * Simulates a service with a billion passes by month. Accounts of very different sizes arrive and grow. A new account
 * goes to the database with the most room, and one too large for its database moves. Costs are measured
 * (docs/performance.md has the sources); volumes are assumed.
 */

/** Measured costs. */
export interface Taken {
  /** Bytes of a pass, including its indexes, search index, device and creation event. */
  passBytes: number;
  /** Bytes of a change, each times the months it is kept. */
  changeBytes: number;
  /** Rows that D1 writes and reads for a change and its consequences, until the last of them is deleted. */
  changeRowsWritten: number;
  changeRowsRead: number;
  /** Milliseconds that a change and its consequences keep their database busy. */
  changeMillis: number;
  /** Queue messages per change: its pushes and deliveries. */
  changeMessages: number;
  /** Requests per change: the call, its consumers, and the device's requests; and milliseconds of their code. */
  changeRequests: number;
  changeCpuMillis: number;
  /** Rows that a minute of the cron reads in a database without work, reads extra for each account, and writes. */
  tickRowsRead: number;
  tickRowsOfAccount: number;
  tickRowsWritten: number;
  /** Passes per second that a move copies, including related rows. */
  movedPerSecond: number;
}

/** Assumed volumes. */
export interface Assumed {
  databases: number;
  passes: number;
  accounts: number;
  /** The largest account, in passes. */
  largestAccount: number;
  changesAMonth: number;
  /** Average monthly growth of an account's passes, as a fraction. It ranges from none to twice this. */
  growth: number;
  months: number;
  /** Ratio of a month's busiest minute to the average. */
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

/** State of the service at the end, and statistics of its months. */
export interface Simulated {
  passes: number;
  accounts: number;
  /** Databases with accounts; more than at first if room ran out. */
  databases: number;
  /** Accounts too large for a database of their own. */
  outgrown: number;
  /** Used fraction of the 10 GB in the median and the fullest database; above 1 it doesn't fit. */
  fullness: { median: number; most: number };
  /** Fraction of the busiest minute during which the busiest database is busy. */
  busiest: number;
  /** Average moves of accounts per month, and passes in the largest move. */
  movesAMonth: number;
  largestMove: number;
  /** Duration of the largest move, in minutes. */
  longestMoveMinutes: number;
  /** In the last month. */
  changes: number;
  rowsWritten: number;
  rowsRead: number;
  requests: number;
  cpuMillis: number;
  ticks: number;
  queueMessages: number;
  storedBytes: number;
}

/** Cloudflare, D1 "Limits": 10 GB per database. */
const DATABASE_BYTES = 10e9;
/** Above this fraction, a database takes no new accounts and moves one away. */
const FULL = 0.8;
const TOO_FULL = 0.9;
const MINUTES_A_MONTH = 30 * 24 * 60;
const PRECISION = 1_000_000;
/** An estimate: about fifty tasks, most with one query. */
const TICK_CPU_MILLIS = 30;

/** Returns account sizes, a few of them very large: the nth account's share falls with n. Their sum is `passes`. */
function sizesOf({ accounts, passes, largestAccount }: Assumed): number[] {
  const shares = Array.from({ length: accounts }, (_, n) => (n + 1) ** -0.9);
  const sum = shares.reduce((all, share) => all + share, 0);
  const sizes = shares.map((share) => Math.min(largestAccount, (passes * share) / sum));
  // Distributes what exceeds the largest account's limit among the others.
  const rest = passes / sizes.reduce((all, size) => all + size, 0);
  return sizes.map((size) => Math.max(1, Math.min(largestAccount, Math.round(size * rest))));
}

/** Simulates the months. */
export function simulate(taken: Taken, assumed: Assumed): Simulated {
  const numbers = new Random(20_261_123);
  const random = () => numbers.below(PRECISION) / PRECISION;
  const bytesOfPass = taken.passBytes + assumed.changesAMonth * taken.changeBytes;
  const holds = DATABASE_BYTES / bytesOfPass;
  const databases: Database[] = Array.from({ length: assumed.databases }, () => ({ accounts: [], passes: 0 }));
  const roomiest = () => databases.reduce((best, one) => (one.passes < best.passes ? one : best));
  const place = (account: Account) => {
    let database = roomiest();
    // Binds another database when all are full.
    if (database.passes + account.passes > holds * FULL) {
      database = { accounts: [], passes: 0 };
      databases.push(database);
    }
    database.accounts.push(account);
    database.passes += account.passes;
  };
  // Small and large accounts arrive in any order.
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

/** Returns the account that frees the most room and fits elsewhere, or the smallest one. */
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
