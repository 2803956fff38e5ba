import { addWork } from '../../platform/db.ts';
import type { AccountContext } from '../context.ts';
import { DomainError } from '../errors.ts';
import type { BundleCaller, BundleObject, BundleReply } from './bundle-object.ts';

/**
 * Runs a change in the bundle's Durable Object; `change` calls one of its methods. Its work in D1 counts as work of
 * this request. Throws the errors of the change.
 */
export async function changeBundle<T>(
  ctx: AccountContext,
  bundleId: string,
  change: (bundle: DurableObjectStub<BundleObject>, caller: BundleCaller) => Promise<BundleReply<T>>,
): Promise<T> {
  const { account, baseUrl, requestId, actor, ip } = ctx;
  const objects = ctx.env.BUNDLES as DurableObjectNamespace<BundleObject>;
  const bundle = objects.get(objects.idFromName(`${account.id}/${bundleId}`));
  const reply = await change(bundle, { account, baseUrl, requestId, actor, ip });
  addWork(ctx.meter, reply.work);
  if ('refused' in reply) throw new DomainError(reply.refused.kind, reply.refused.issues);
  return reply.result;
}
