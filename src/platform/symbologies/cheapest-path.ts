/** A step of an encoder between two states: its output and its cost. */
export interface Step<Token> {
  to: number;
  /** Bytes that it consumes; 0: it only changes the state. */
  bytes: number;
  cost: number;
  token: Token;
}

interface Path<Token> {
  cost: number;
  last?: { token: Token; before: Path<Token> };
}

/**
 * Returns the cheapest tokens that encode `length` bytes. `stepsFrom` yields the possible steps at a byte in a state; a
 * step that only changes the state must cost something. `slack` is the maximum cost of changing between states, so a
 * path that is costlier by more is dropped.
 */
export function cheapestPath<Token>(
  length: number,
  starts: Step<Token>[],
  slack: number,
  stepsFrom: (at: number, state: number) => Iterable<Step<Token>>,
): Token[] {
  const paths: Map<number, Path<Token>>[] = Array.from({ length: length + 1 }, () => new Map());
  const extend = (before: Path<Token>, at: number, { to, cost, token }: Step<Token>) => {
    const total = before.cost + cost;
    const known = paths[at]!.get(to);
    if (known && known.cost <= total) return;
    // Added again as the last entry, so that the loop over this byte's states visits it once more.
    paths[at]!.delete(to);
    paths[at]!.set(to, { cost: total, last: { token, before } });
  };
  for (const start of starts) extend({ cost: 0 }, 0, start);
  for (let at = 0; at < length; at++) {
    const limit = cheapest(paths[at]!.values()).cost + slack;
    for (const [state, path] of paths[at]!) {
      if (path.cost > limit) continue;
      for (const step of stepsFrom(at, state)) if (at + step.bytes <= length) extend(path, at + step.bytes, step);
    }
    // Earlier paths are kept only as part of later ones.
    paths[at] = new Map();
  }
  return tokensOf(cheapest(paths[length]!.values()));
}

function cheapest<Token>(paths: Iterable<Path<Token>>): Path<Token> {
  let best: Path<Token> = { cost: Number.POSITIVE_INFINITY };
  for (const path of paths) if (path.cost < best.cost) best = path;
  return best;
}

function tokensOf<Token>(path: Path<Token>): Token[] {
  const tokens: Token[] = [];
  for (let { last } = path; last; last = last.before.last) tokens.push(last.token);
  return tokens.reverse();
}
