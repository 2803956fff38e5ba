import { serviceTime } from './clock.ts';

/** Deletes the files with a prefix that were stored before a time. */
export async function purgeFiles(files: R2Bucket, prefix: string, before: number): Promise<void> {
  let cursor: string | undefined;
  do {
    const listed = await files.list({ prefix, cursor });
    const old = listed.objects.filter(({ uploaded }) => serviceTime(uploaded.getTime()) < before);
    if (old.length > 0) await files.delete(old.map(({ key }) => key));
    cursor = listed.truncated ? listed.cursor : undefined;
  } while (cursor);
}
