/** Which process holds a run. */

/** The name of a process among those that may share a file; a container that starts again has the name that it had. */
export const ownerOf = (host: string, pid: number): string => `${host}:${pid}`

/** Whether an owner has certainly ended: a process of this host that is not alive. Nothing is known of other hosts. */
export function isGone(
  owner: string,
  here: { readonly host: string; readonly isAlive: (pid: number) => boolean },
): boolean {
  const [, host, pid] = /^(.*):(\d+)$/.exec(owner) ?? []
  return host === here.host && pid !== undefined && !here.isAlive(Number(pid))
}
