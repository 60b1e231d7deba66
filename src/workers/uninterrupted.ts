/**
 * Ending a worker thread outside of native calls that must not be cut off. Node ends the whole process when a thread is
 * terminated between the creation of a zlib stream and its first use ("close before init", node_zlib.cc). Each synchronous zlib
 * call creates one.
 */

import {
  getEnvironmentData,
  isMainThread,
  setEnvironmentData,
  type Worker,
} from 'node:worker_threads'

// States of a thread's lock: one 32-bit number that both threads see.
const free = 0
const inNativeCall = 1
const isEnding = 2

/** Milliseconds after which a thread is ended even in a native call. */
const maxWaitMs = 2000

const environmentKey = 'cartulary.termination-lock'
const locks = new WeakMap<Worker, Int32Array>()

const previous = getEnvironmentData(environmentKey)
const ownLock =
  !isMainThread && previous instanceof SharedArrayBuffer ? new Int32Array(previous) : undefined

/** Starts a worker thread that `terminateWorker` does not end during its calls of `uninterrupted`. */
export function withTerminationLock(start: () => Worker): Worker {
  const shared = new SharedArrayBuffer(4)
  const inherited = getEnvironmentData(environmentKey)
  setEnvironmentData(environmentKey, shared)
  try {
    const worker = start()
    locks.set(worker, new Int32Array(shared))
    return worker
  } finally {
    setEnvironmentData(environmentKey, inherited)
  }
}

/**
 * Runs a short synchronous call during which the thread is not terminated; in a thread that is being ended it blocks, then
 * throws.
 */
export function uninterrupted<T>(work: () => T): T {
  if (!ownLock) return work()
  if (Atomics.compareExchange(ownLock, 0, free, inNativeCall) === isEnding) {
    // Node can lose a termination: then the thread goes no further than to its event loop, where it ends.
    Atomics.wait(ownLock, 0, isEnding, maxWaitMs)
    throw new Error('the thread is being ended')
  }
  try {
    return work()
  } finally {
    Atomics.store(ownLock, 0, free)
    Atomics.notify(ownLock, 0)
  }
}

/** Terminates a worker thread as soon as it is in no call of `uninterrupted`, after 2 s in any case. */
export async function terminateWorker(worker: Worker): Promise<void> {
  const lock = locks.get(worker)
  if (lock) await waitUntilStopped(lock)
  await worker.terminate()
}

/** Resolves when the thread is held before its next native call, after 2 s in any case. */
async function waitUntilStopped(lock: Int32Array): Promise<void> {
  const end = performance.now() + maxWaitMs
  while (Atomics.compareExchange(lock, 0, free, isEnding) === inNativeCall) {
    const remainingMs = end - performance.now()
    if (remainingMs <= 0) return
    const wait = Atomics.waitAsync(lock, 0, inNativeCall, remainingMs)
    if (wait.async) await wait.value
  }
}
