import { Lru } from './lru.ts';

/** An isolate has 128 MB for everything; this much of it may hold assets. */
const ASSET_CACHE_BYTES_MAX = 32 * 1024 * 1024;

/** Bytes by a key that names them for good, shared by all requests of an isolate. */
export class AssetCache {
  #kept: Lru<Uint8Array<ArrayBuffer>>;
  #loading = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

  constructor(bytesMax: number) {
    this.#kept = new Lru(bytesMax);
  }

  /** The bytes of `key` that are in memory. */
  held(key: string): Uint8Array<ArrayBuffer> | undefined {
    return this.#kept.get(key);
  }

  /**
   * The bytes of `key`, from memory or from `load`. Callers that ask for a key while it loads share that one load; a
   * failed load is forgotten, so that the next caller tries again. Nobody may write to the bytes. A caller that may be
   * cancelled must keep its request alive until the load has settled (`waitUntil`), because others can depend on it.
   */
  get(key: string, load: () => Promise<Uint8Array<ArrayBuffer>>): Promise<Uint8Array<ArrayBuffer>> {
    const kept = this.#kept.get(key);
    if (kept) return Promise.resolve(kept);
    const running = this.#loading.get(key);
    if (running) return running;
    const started = this.#load(key, load);
    this.#loading.set(key, started);
    return started;
  }

  async #load(key: string, load: () => Promise<Uint8Array<ArrayBuffer>>): Promise<Uint8Array<ArrayBuffer>> {
    try {
      const bytes = await load();
      this.#kept.set(key, bytes, bytes.byteLength);
      return bytes;
    } finally {
      this.#loading.delete(key);
    }
  }
}

/** The cache of this isolate. */
export const assetCache = new AssetCache(ASSET_CACHE_BYTES_MAX);
