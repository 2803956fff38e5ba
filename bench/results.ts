/** One figure: ours and the one it is compared with. */
export interface Result {
  ours: number;
  floor: number;
  ratio: number;
  unit: string;
}

export type Results = Record<string, Result>;

/** Goal for a ratio; `most` if less is better. */
export interface Goal {
  least?: number;
  most?: number;
}

export const isReached = (ratio: number, { least = 0, most = Number.POSITIVE_INFINITY }: Goal): boolean =>
  ratio >= least && ratio <= most;

/** Builds a result from two figures. `ratio` is theirs unless a better one was measured. */
export function result(ours: number, floor: number, unit: string, ratio = ours / floor): Result {
  return { ours: rounded(ours), floor: rounded(floor), ratio: rounded(ratio), unit };
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

/** Formats the results as a table, with each goal and whether it was reached. */
export function formatTable(results: Results, goals: Record<string, Goal>): string {
  const lines = Object.entries(results).map(([name, { ours, floor, ratio, unit }]) => {
    const goal = goals[name];
    const wanted = goal && `${goal.least === undefined ? `<= ${goal.most}` : `>= ${goal.least}`}`;
    const verdict = goal ? (isReached(ratio, goal) ? 'reached' : 'missed') : '';
    return [name, plain(ours), plain(floor), plain(ratio), unit, wanted ?? '', verdict];
  });
  const rows = [['', 'ours', 'floor', 'ratio', 'unit', 'goal', ''], ...lines];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const isNumber = (column: number) => column >= 1 && column <= 3;
  return rows
    .map((row) =>
      row
        .map((cell, column) => (isNumber(column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const plain = (value: number): string => value.toLocaleString('en', { maximumSignificantDigits: 4 });
