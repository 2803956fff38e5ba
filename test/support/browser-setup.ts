import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { writeCameraVideo } from '../../scripts/camera-video.ts';
import { launchOptions } from './launch-options.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where `openBrowser` connects to this run's browser. */
    browserEndpoint: string;
    /** The video that the browser's cameras play (`scripts/camera-video.ts`). */
    cameraVideo: string;
  }
}

/** Starts one browser for all browser tests: starting takes longer than most of their tests. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'camera-'));
  const video = join(folder, 'camera.y4m');
  await writeCameraVideo(video);
  const browser = await chromium.launchServer(launchOptions(video));
  project.provide('browserEndpoint', browser.wsEndpoint());
  project.provide('cameraVideo', video);
  return async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  };
}
