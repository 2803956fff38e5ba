import { crc32 } from 'node:zlib';
import { Slots } from '../../platform/concurrency.ts';
import { fromBase64, sha256 as sha256Of } from '../../platform/crypto.ts';
import { hex } from '../../platform/ids.ts';
import {
  IMAGE_BYTES_MAX,
  ImageError,
  type ImageInfo,
  inspectImage,
  resizeToPng,
  type Size,
  TemporaryImageError,
} from '../../platform/images.ts';
import { areLocalTargetsAllowed, fetchOutbound } from '../../platform/outbound.ts';
import { backOff } from '../../platform/transient-error.ts';
import type { Context } from '../context.ts';
import { DomainError } from '../errors.ts';
import { claimDrawings, type DrawingClaim, freeDrawings, holdImage } from './hold-images.ts';
import { type BoxedType, imageBox, sizeInBox } from './image-boxes.ts';
import type { ImageRole, ImageVariant, StoredImage } from './stored-image.ts';
import { isImageName, originalKey, variantKey } from './stored-image.ts';

const IMAGE_FETCH_TIMEOUT_MS = 10_000;
const SCALES = ['1', '2', '3'] as const;

type Bytes = Uint8Array<ArrayBuffer>;

/** Error for an image that can't be imported. */
export class NotImportable extends DomainError {
  /** Reason, without the field. */
  reason: string;
  /** Whether the import may succeed later. */
  isTemporary: boolean;

  constructor(field: string, reason: string, isTemporary: boolean) {
    super('invalid', `${field}: ${reason}`);
    this.reason = reason;
    this.isTemporary = isTemporary;
  }
}

/** Client error statuses that are worth a retry: RFC 9110 §15.5.9, RFC 8470 §5.2, RFC 6585 §4. */
const TEMPORARY_STATUSES = [408, 425, 429];

/**
 * Stores an image (https URL, base64, or URL of our store) and the PNGs that passes of `type` show in `role`. Files are
 * named by content, so a repeat is harmless. The image is held until the request or job ends; a row must use it by
 * then. Throws `NotImportable` with `field` at the start of the message.
 */
export async function importImage(
  ctx: Context,
  source: string,
  role: ImageRole,
  type: BoxedType,
  field: string,
  preferredStyleScheme?: string | null,
): Promise<StoredImage> {
  return importAs(ctx, source, { role, type, field, preferredStyleScheme });
}

/** What an image is for. Errors name `field`. */
interface Purpose {
  role: ImageRole;
  type: BoxedType;
  field: string;
  preferredStyleScheme?: string | null;
}

/** Does the work of `importImage`. `largeDrawings` limits how many large images are drawn at a time. */
async function importAs(
  ctx: Context,
  source: string,
  { role, type, field, preferredStyleScheme }: Purpose,
  largeDrawings?: Slots,
): Promise<StoredImage> {
  try {
    const bytes = await readSource(ctx, source);
    const info = inspectImage(bytes);
    const sha256 = await sha256Of(bytes);
    await holdImage(ctx, sha256);
    const box = imageBox(role, type, preferredStyleScheme);
    const sizes = distinctSizes(SCALES.map((scale) => [scale, sizeInBox(info, box, Number(scale))]));
    const wanted = sizes.map(([, size]) => ({ key: variantKey(sha256, role, size), size }));
    const draw = () => drawOnce(ctx, sha256, wanted, ({ key, size }) => drawVariant(ctx, key, size, bytes, info));
    const drawn = await (largeDrawings && bytes.length > LARGE_BYTES ? largeDrawings.run(1, draw) : draw());
    const variants = sizes.map(([scale], i) => [scale, drawn.get(wanted[i]!.key)!] as const);
    // After the variants: only what could be decoded becomes public.
    await storeOriginal(ctx, sha256, bytes, info);
    return { sha256, width: info.width, height: info.height, variants: Object.fromEntries(variants) };
  } catch (error) {
    if (!(error instanceof ImageError)) throw error;
    const from = isUrl(source) ? ' from URL' : '';
    const reason = `image is not importable${from} (${error.message})`;
    throw new NotImportable(field, reason, error instanceof TemporaryImageError);
  }
}

/** Imports one image for cards of this type and scheme. Errors name `field`. */
export type ImageLoader = (
  source: string,
  role: ImageRole,
  looks: { type: BoxedType; preferredStyleScheme?: string | null },
  field: string,
) => Promise<StoredImage>;

/** A 5 MiB image takes 20 MiB while it is drawn in three sizes. An isolate has 128 MiB. */
const LARGE_AT_A_TIME = 2;
const LARGE_CHARS = 1_000_000;
const LARGE_BYTES = 750_000;

/** The size of an image at a URL is unknown before the download. */
const canBeLarge = (source: string) => isUrl(source) || source.length > LARGE_CHARS;

/**
 * Creates a loader that imports each image once, even across retries, and draws few large ones at a time. It reads at
 * most `atATime` images that can be large.
 */
export function imageLoader(ctx: Context, atATime = LARGE_AT_A_TIME): ImageLoader {
  const reading = new Slots(atATime);
  const largeDrawings = new Slots(LARGE_AT_A_TIME);
  const loaded = new Map<string, Map<string, Promise<StoredImage>>>();
  return (source, role, { type, preferredStyleScheme }, field) => {
    // Keyed by the source itself: a composite key would copy megabytes.
    const ofSource = loaded.get(source) ?? new Map<string, Promise<StoredImage>>();
    loaded.set(source, ofSource);
    const key = JSON.stringify([role, type, preferredStyleScheme ?? null]);
    const load = () => importAs(ctx, source, { role, type, field, preferredStyleScheme }, largeDrawings);
    const image = ofSource.get(key) ?? (canBeLarge(source) ? reading.run(1, load) : load());
    ofSource.set(key, image);
    return image;
  };
}

/** Whether a source is an address. Other sources are base64. */
export function isUrl(source: string): boolean {
  return /^https?:/i.test(source);
}

async function readSource(ctx: Context, source: string): Promise<Bytes> {
  if (!isUrl(source)) return decodeBase64(source);
  const own = `${ctx.baseUrl}/${originalKey('')}`;
  const name = source.startsWith(own) ? source.slice(own.length) : '';
  return isImageName(name) ? readOriginal(ctx, name) : download(ctx, source);
}

/** Returns the bytes of an image in base64. Throws `ImageError`. */
export function decodeBase64(source: string): Bytes {
  const text = source.replace(/^data:[^,]*;base64,/i, '').trim();
  // Four characters encode three bytes. A text that is far too long isn't decoded at all.
  if (text.length > (IMAGE_BYTES_MAX * 4) / 3 + 4) throw new ImageError('it is larger than 5 MiB');
  try {
    return fromBase64(text);
  } catch {
    throw new ImageError('it is neither a URL nor base64');
  }
}

async function readOriginal(ctx: Context, name: string): Promise<Bytes> {
  const object = await ctx.env.FILES.get(originalKey(name));
  if (!object) throw new ImageError('the image does not exist');
  return new Uint8Array(await object.arrayBuffer());
}

async function download(ctx: Context, url: string): Promise<Bytes> {
  const outcome = await fetchOutbound(url, {
    allowLocal: areLocalTargetsAllowed(ctx.env),
    timeoutMs: IMAGE_FETCH_TIMEOUT_MS,
    bytesMax: IMAGE_BYTES_MAX,
    headers: { accept: 'image/png, image/jpeg' },
  });
  switch (outcome.kind) {
    case 'ok':
      if (outcome.status === 200) return outcome.body;
      throw statusError(outcome.status);
    case 'redirect':
      throw new ImageError(`the server answered with a redirect, status ${outcome.status}`);
    case 'too_large':
      throw new ImageError('it is larger than 5 MiB');
    case 'invalid_url':
    case 'private_address':
      throw new ImageError(outcome.message);
    default:
      throw new TemporaryImageError(outcome.message);
  }
}

function statusError(status: number): ImageError {
  const isTemporary = status >= 500 || TEMPORARY_STATUSES.includes(status);
  const message = `the server answered with status ${status}`;
  return isTemporary ? new TemporaryImageError(message) : new ImageError(message);
}

/** Removes scales that repeat the size of a smaller one. */
function distinctSizes<S>(sizes: [S, Size][]): [S, Size][] {
  return sizes.filter(
    ([, size], i) => i === 0 || sizes[i - 1]![1].width !== size.width || sizes[i - 1]![1].height !== size.height,
  );
}

/** PNG of an image. It may already exist. */
interface Wanted {
  key: string;
  size: Size;
}

/** Looks for a drawing of another import before it is drawn here, unclaimed: longer than a drawing may take. */
const POLLS_MAX = 120;
const NO_CLAIM: DrawingClaim = { keys: [], expiresAt: 0 };

/**
 * Returns the PNGs of an image by key. Draws missing ones with `draw`, and waits for those that another import is
 * drawing. Two round trips if something has to be drawn.
 */
async function drawOnce(
  ctx: Context,
  sha256: string,
  wanted: Wanted[],
  draw: (one: Wanted) => Promise<ImageVariant>,
): Promise<Map<string, ImageVariant>> {
  const found = new Map<string, ImageVariant>();
  const find = async ({ key, size }: Wanted) => {
    const variant = await findVariant(ctx, key, size);
    if (variant) found.set(key, variant);
  };
  for (let looks = 1; ; looks++) {
    await Promise.all(wanted.filter(({ key }) => !found.has(key)).map(find));
    const missing = wanted.filter(({ key }) => !found.has(key));
    if (missing.length === 0) return found;
    const keys = missing.map(({ key }) => key);
    const isLast = looks === POLLS_MAX;
    const claim = isLast ? NO_CLAIM : await claimDrawings(ctx, sha256, keys);
    const work = isLast ? missing : missing.filter(({ key }) => claim.keys.includes(key));
    await drawClaimed(ctx, sha256, { work, claim }, async (one) => {
      // Another import may have drawn it between the look and the claim.
      await find(one);
      if (!found.has(one.key)) found.set(one.key, await draw(one));
    });
    if (work.length < missing.length) await backOff(looks);
  }
}

async function drawClaimed(
  ctx: Context,
  sha256: string,
  { work, claim }: { work: Wanted[]; claim: DrawingClaim },
  draw: (one: Wanted) => Promise<void>,
): Promise<void> {
  const outcomes = await Promise.allSettled(work.map(draw));
  await freeDrawings(ctx, sha256, claim);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

async function storeOriginal(ctx: Context, sha256: string, bytes: Bytes, { format }: ImageInfo): Promise<void> {
  const key = originalKey(sha256);
  // R2 takes one write per second and key: an image that many passes share is written once.
  if (await ctx.env.FILES.head(key)) return;
  await ctx.env.FILES.put(key, bytes, {
    onlyIf: { etagDoesNotMatch: '*' },
    httpMetadata: { contentType: `image/${format}` },
  });
}

async function findVariant(ctx: Context, key: string, size: Size): Promise<ImageVariant | undefined> {
  const object = await ctx.env.FILES.head(key);
  const { sha1, crc32 } = object?.customMetadata ?? {};
  return object && sha1 && crc32 ? { key, ...size, bytes: object.size, sha1, crc32: Number(crc32) } : undefined;
}

async function drawVariant(
  ctx: Context,
  key: string,
  size: Size,
  original: Bytes,
  info: ImageInfo,
): Promise<ImageVariant> {
  const drawn = await resizeToPng(ctx.env.IMAGES, original, size);
  const png = isSame(info, size) && original.length <= drawn.length ? original : drawn;
  const sha1 = hex(new Uint8Array(await crypto.subtle.digest('SHA-1', png)));
  const checksum = crc32(png);
  const stored = await ctx.env.FILES.put(key, png, {
    // Two concurrent imports may draw different bytes. The hashes must match the bytes that R2 keeps.
    onlyIf: { etagDoesNotMatch: '*' },
    httpMetadata: { contentType: 'image/png' },
    customMetadata: { sha1, crc32: String(checksum) },
  });
  if (stored) return { key, ...size, bytes: png.length, sha1, crc32: checksum };
  const winner = await findVariant(ctx, key, size);
  if (!winner) throw new Error(`${key} was there and is gone`);
  return winner;
}

/** Whether the original is a PNG of the wanted size. It is often compressed better than a drawing. */
function isSame(info: ImageInfo, size: Size): boolean {
  return info.format === 'png' && info.width === size.width && info.height === size.height;
}
