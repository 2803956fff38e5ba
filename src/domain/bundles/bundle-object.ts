import { DurableObject } from 'cloudflare:workers';
import type { WorkElsewhere } from '../../platform/db.ts';
import type { Env } from '../../platform/env.ts';
import { Mutex } from '../../platform/mutex.ts';
import { type AccountContext, bookmarkOf, contextOfAccount } from '../context.ts';
import { ensureMap, followMoves } from '../databases/follow-moves.ts';
import { DomainError, type ErrorKind, type Issue } from '../errors.ts';
import type { LinkedBundle } from './edit-bundle.ts';

/** Caller of a bundle change, in the form that is sent to the bundle's Durable Object. */
export type BundleCaller = Pick<AccountContext, 'account' | 'baseUrl' | 'requestId' | 'actor' | 'ip'>;

/** Reply of a bundle's object. Errors are sent as values: a thrown error would keep only its message. */
export type BundleReply<T> = { work: WorkElsewhere } & (
  | { result: T }
  | { refused: { kind: ErrorKind; issues: Issue[] } }
);

/**
 * Durable Object per bundle, named by account and bundle. It serializes the changes, also while one waits for D1. It
 * keeps no state; D1 enforces the rules too, because single passes join and leave by their own field. The code of a
 * change is loaded with the first one, to keep the Worker's start small.
 */
export class BundleObject extends DurableObject<Env> {
  #changes = new Mutex();

  /** See `addToBundle`. */
  add(caller: BundleCaller, bundleId: string, names: string[]): Promise<BundleReply<LinkedBundle>> {
    return this.#change(caller, async (ctx) => (await import('./edit-bundle.ts')).addToBundle(ctx, bundleId, names));
  }

  /** See `voidBundle`. */
  void(caller: BundleCaller, bundleId: string, voided: boolean): Promise<BundleReply<string[]>> {
    return this.#change(caller, async (ctx) => (await import('./edit-bundle.ts')).voidBundle(ctx, bundleId, voided));
  }

  /** See `dissolveBundle`. */
  dissolve(caller: BundleCaller, bundleId: string): Promise<BundleReply<void>> {
    return this.#change(caller, async (ctx) => (await import('./edit-bundle.ts')).dissolveBundle(ctx, bundleId));
  }

  #change<T>(caller: BundleCaller, change: (ctx: AccountContext) => Promise<T>): Promise<BundleReply<T>> {
    return this.#changes.run(async () => {
      const { account, actor, ...origin } = caller;
      const waitUntil = (work: Promise<unknown>) => this.ctx.waitUntil(work);
      await ensureMap({ env: this.env, requestId: caller.requestId, waitUntil });
      const open = (): AccountContext => {
        const opened = contextOfAccount(this.env, account.id, { ...origin, waitUntil });
        return { ...opened, account, actor };
      };
      let ctx = open();
      const work = () => ({ ...ctx.meter, bookmark: bookmarkOf(ctx) });
      try {
        const result = await followMoves(ctx, () => {
          ctx = open();
          return change(ctx);
        });
        return { result, work: work() };
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        const { kind, issues } = error;
        return { refused: { kind, issues }, work: work() };
      }
    });
  }
}
