export const ROOT: string;
export function oldNodeProblem(version: string): string | undefined;
export function isInstalled(root: string): boolean;
export function projectNode(root: string): string;
export function install(root: string): string | undefined;
export function toolEnvironment(root: string): NodeJS.ProcessEnv;
export function startersOf(parent: number): number[];
export function isAlive(pid: number): boolean;
