import { Lru } from './lru.ts';

/** Memory for assets, out of the 128 MB that an isolate has for everything. */
const ASSET_CACHE_BYTES_MAX = 32 * 1024 * 1024;

/** Caches bytes by keys that always name the same content. All requests of an isolate share it. */
export class AssetCache {
  #kept: Lru<Uint8Array<ArrayBuffer>>;
  #loading = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

  constructor(bytesMax: number) {
    this.#kept = new Lru(bytesMax);
  }

  /** Returns the bytes of `key` if they are in memory. */
  held(key: string): Uint8Array<ArrayBuffer> | undefined {
    return this.#kept.get(key);
  }

  /**
   * Returns the bytes of `key`, from memory or from `load`. Concurrent callers share one load; a failed load is
   * forgotten. Don't write to the bytes. A caller that may be canceled must keep its request alive (`waitUntil`) until
   * the load has settled, because others can depend on it.
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
