import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { writeCameraVideo } from '../../scripts/camera-video.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The video that the browser's cameras play (`scripts/camera-video.ts`). */
    cameraVideo: string;
  }
}

/** Provides the video that the browser's cameras play. */
export default async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'camera-'));
  const video = join(folder, 'camera.y4m');
  await writeCameraVideo(video);
  project.provide('cameraVideo', video);
  return () => rmSync(folder, { recursive: true, force: true });
}
