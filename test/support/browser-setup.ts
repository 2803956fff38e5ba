import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { writeCameraVideo } from '../../scripts/camera-video.ts';
import { launchOptions } from './launch-options.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where `openBrowser` reaches the browser of this run. */
    browserEndpoint: string;
    /** The file that cameras of the browser play when they are started (`scripts/camera-video.ts`). */
    cameraVideo: string;
  }
}

/** Starts one browser for all files of the browser tests: a start takes longer than most of their tests. */
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
