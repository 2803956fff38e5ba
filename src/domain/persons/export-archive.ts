import { type StreamedEntry, zipStream } from '../../platform/zip-stream.ts';
import type { Context } from '../context.ts';
import { originalKey } from '../images/stored-image.ts';
import { EXPORT_PARTS, type ExportPart, type ExportPlace, readPart } from './export-files.ts';

const encoder = new TextEncoder();

/** Builds the archive of an export while it is sent: memory holds no more than the data of one range of passes. */
export function exportArchive(
  ctx: Pick<Context, 'env'>,
  place: ExportPlace,
  files: string[],
): ReadableStream<Uint8Array> {
  const bytes = zipStream(entriesOf(ctx, place, files));
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await bytes.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await bytes.return(undefined);
    },
  });
}

async function* entriesOf(
  ctx: Pick<Context, 'env'>,
  place: ExportPlace,
  files: string[],
): AsyncGenerator<StreamedEntry> {
  for (const part of EXPORT_PARTS) yield { name: `${part}.json`, chunks: listOf(ctx, place, files, part) };
  const stored = new Set<unknown>();
  for (const file of files) {
    for (const sha256 of await readPart(ctx, place, file, 'images')) {
      if (stored.has(sha256)) continue;
      stored.add(sha256);
      const image = await ctx.env.FILES.get(originalKey(String(sha256)));
      if (image) yield { name: `images/${sha256}`, chunks: image.body };
    }
  }
}

/** Yields a JSON list of all items of a part. */
async function* listOf(
  ctx: Pick<Context, 'env'>,
  place: ExportPlace,
  files: string[],
  part: ExportPart,
): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  yield encoder.encode('[');
  for (const file of files) {
    for (const item of await readPart(ctx, place, file, part)) {
      yield encoder.encode(`${isFirst ? '\n' : ',\n'}${JSON.stringify(item)}`);
      isFirst = false;
    }
  }
  yield encoder.encode(isFirst ? ']\n' : '\n]\n');
}
