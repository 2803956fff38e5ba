import type { Context } from '../context.ts';
import { appendFactsSoon, type PassFact } from './append-facts.ts';

/**
 * How long to wait for a download after a device asked for changes. It usually follows at once, and both take one
 * written row. A Worker has 30 seconds after its reply (Cloudflare, Workers limits).
 */
const DOWNLOAD_WAIT_MS = 2_000;

/** Facts of devices that asked in this isolate and have not downloaded yet, by pass. */
const waiting = new Map<string, PassFact[]>();

/** Adds facts of devices that asked: each with the download that follows, or alone if none does. */
export function recordAskedDevices(ctx: Context, accountId: string, facts: PassFact[]): void {
  for (const fact of facts) waiting.set(fact.passId, [...(waiting.get(fact.passId) ?? []), fact]);
  const rest = () => {
    appendFactsSoon(ctx, accountId, facts.filter(takeOne));
  };
  ctx.waitUntil(new Promise((resolve) => setTimeout(resolve, DOWNLOAD_WAIT_MS)).then(rest));
}

/** Adds the fact of a download, and those of devices that asked for the pass just before. */
export function noteDownload(ctx: Context, accountId: string, fact: PassFact): void {
  const asked = waiting.get(fact.passId) ?? [];
  waiting.delete(fact.passId);
  appendFactsSoon(ctx, accountId, [...asked, fact]);
}

/** Takes a fact that still waits. Returns false if a download has taken it. */
function takeOne(fact: PassFact): boolean {
  const ofPass = waiting.get(fact.passId);
  if (!ofPass?.includes(fact)) return false;
  const others = ofPass.filter((one) => one !== fact);
  if (others.length > 0) waiting.set(fact.passId, others);
  else waiting.delete(fact.passId);
  return true;
}
