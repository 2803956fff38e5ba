import { type AdminAddress, newAdminToken, type Repeat, runAdminCommand } from './admin-client.ts';
import { temporaryFolder } from './at-exit.ts';
import { prepareDirectory } from './files.ts';
import { hasDatabases, lastBaseUrl, localEncryptionKeys, migrate } from './local-state.ts';
import { claimState, releaseState } from './service-record.ts';
import { Problem, readSettings } from './settings.ts';
import { startWorker } from './worker-process.ts';

/** Runs a command of the administration entry; see `runAdminCommand`. */
export type RunCommand = <T = unknown>(
  command: string,
  options?: Record<string, unknown>,
  repeat?: Repeat,
) => Promise<T>;

/**
 * Calls `work` with a function that runs commands on this machine's state: in the running service, or in a Worker
 * started for the purpose. `alone` refuses to run while the service does.
 */
export async function onLocalState<T>(work: (run: RunCommand) => Promise<T>, { alone = false } = {}): Promise<T> {
  const settings = readSettings(process.env);
  const { stateDir } = settings;
  const baseUrl = lastBaseUrl(settings, process.env);
  prepareDirectory(stateDir, 'STATE_DIR');
  const running = await claimState(stateDir);
  if (running && alone) throw new Problem(`A service runs on ${stateDir}: stop it, and try again.`);
  if (running) return work(runnerOf(running));
  // A restore begins with an empty folder. Any other command may have been given the wrong one.
  if (!alone && !hasDatabases(stateDir)) {
    console.error(`Creating databases in ${stateDir}. If your service uses another folder, set STATE_DIR.`);
  }
  try {
    await migrate(stateDir);
    const variables = { ...localEncryptionKeys(stateDir, process.env), BASE_URL: baseUrl };
    return await inOwnWorker({ stateDir, variables }, work);
  } finally {
    releaseState(stateDir);
  }
}

/**
 * Calls `work` with a function that runs commands on the deployment. `needsAddress` names what needs the address in
 * links, for the error message.
 */
export async function onRemoteState<T>(
  work: (run: RunCommand) => Promise<T>,
  { needsAddress }: { needsAddress?: string } = {},
): Promise<T> {
  // Loaded late because it imports wrangler, which takes longer than a local command.
  const { prepareRemote } = await import('./remote-worker.ts');
  const { path: stateDir, remove } = temporaryFolder('pass-wallet-admin-');
  try {
    const { config, variables } = await prepareRemote(stateDir, process.env);
    return await inOwnWorker({ stateDir, config, variables }, async (run) => {
      if (needsAddress && (await run<{ baseUrl: string | null }>('service show')).baseUrl === null) {
        throw new Problem(
          `${needsAddress} for the deployed service needs its address: open /setup there, or use service update --base-url.`,
        );
      }
      return work(run);
    });
  } finally {
    remove();
  }
}

async function inOwnWorker<T>(
  worker: { stateDir: string; config?: string; variables: Record<string, string> },
  work: (run: RunCommand) => Promise<T>,
): Promise<T> {
  const adminToken = newAdminToken();
  const variables = { ...worker.variables, ADMIN_TOKEN: adminToken };
  const { origin, stop } = await startWorker({ ...worker, variables });
  try {
    return await work(runnerOf({ origin, adminToken }));
  } finally {
    await stop();
  }
}

function runnerOf(address: AdminAddress): RunCommand {
  return (command, options = {}, repeat = undefined) => runAdminCommand(address, command, options, repeat);
}
