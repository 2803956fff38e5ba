import {
  type CreateProjectBody,
  type CreateTemplateBody,
  PassWallet,
  PassWalletError,
  type ReplaceTemplateBody,
} from '../client/src/index.ts';
import { Problem } from './settings.ts';

/** Returns a client for the local service. */
export function walletOf(origin: string, apiKey: string): PassWallet {
  return new PassWallet({ baseUrl: origin, apiKey });
}

/** Waits for a call. Throws a `Problem` with the reason if it was rejected. */
export async function called<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof PassWalletError)) throw error;
    throw new Problem(`The service answered ${error.status || 'nothing'} to ${error.message}`);
  }
}

/** Creates a project or a template once per key, and returns its identifier. */
export async function create(
  origin: string,
  apiKey: string,
  path: string,
  body: object,
  idempotencyKey: string,
): Promise<string> {
  const wallet = walletOf(origin, apiKey);
  const input = { body: body as CreateProjectBody & CreateTemplateBody };
  const isProject = path === '/api/v3/project';
  const call = isProject
    ? wallet.createProject(input, { idempotencyKey })
    : wallet.createTemplate(input, { idempotencyKey });
  return (await called<{ data: { identifier: string } }>(call)).data.identifier;
}

/** Returns the identifiers of the account's templates. */
export async function listTemplates(origin: string, apiKey: string): Promise<string[]> {
  const { value } = await called(walletOf(origin, apiKey).listTemplates().next());
  return (value ?? []).map(({ identifier }) => identifier);
}

/** Returns a template's definition, with its images as addresses. */
export async function describeTemplate(origin: string, apiKey: string, id: string): Promise<object> {
  return (await called(walletOf(origin, apiKey).describeTemplate({ path: { id } }))).data;
}

/** Replaces a template's definition and publishes it. */
export async function replaceTemplate(origin: string, apiKey: string, id: string, definition: object): Promise<void> {
  const wallet = walletOf(origin, apiKey);
  await called(wallet.replaceTemplate({ path: { id }, body: definition as ReplaceTemplateBody }));
  await called(wallet.publishTemplate({ path: { id }, body: {} }));
}
