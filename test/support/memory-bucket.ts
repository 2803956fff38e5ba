interface Stored {
  bytes: Uint8Array<ArrayBuffer>;
  options: R2PutOptions;
  uploaded: Date;
}

/** An in-memory R2 bucket, with what the product uses outside of backups. */
export function memoryBucket(): R2Bucket {
  const objects = new Map<string, Stored>();
  const headOf = (key: string, { bytes, options, uploaded }: Stored) => ({
    key,
    size: bytes.length,
    uploaded,
    customMetadata: options.customMetadata,
    httpMetadata: options.httpMetadata,
  });
  const bucket = {
    async put(key: string, value: string | Uint8Array | Promise<Uint8Array>, options: R2PutOptions = {}) {
      const isNew = (options.onlyIf as R2Conditional | undefined)?.etagDoesNotMatch === '*';
      const given = await value;
      if (isNew && objects.has(key)) return null;
      const stored = { bytes: new Uint8Array(Buffer.from(given)), options, uploaded: new Date() };
      objects.set(key, stored);
      return headOf(key, stored);
    },
    async head(key: string) {
      const stored = objects.get(key);
      return stored ? headOf(key, stored) : null;
    },
    async get(key: string) {
      const stored = objects.get(key);
      if (!stored) return null;
      const { bytes } = stored;
      return {
        ...headOf(key, stored),
        body: new Blob([bytes]).stream(),
        arrayBuffer: async () => bytes.slice().buffer,
        text: async () => Buffer.from(bytes).toString(),
      };
    },
    async delete(keys: string | string[]) {
      for (const key of [keys].flat()) objects.delete(key);
    },
    async list({ prefix = '' }: R2ListOptions = {}) {
      const found = [...objects].filter(([key]) => key.startsWith(prefix));
      return { objects: found.map(([key, stored]) => headOf(key, stored)), truncated: false };
    },
  };
  return bucket as unknown as R2Bucket;
}
