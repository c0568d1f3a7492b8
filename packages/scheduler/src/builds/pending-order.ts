/**
 * The order of pending builds: a rerun stands at the place of its original. `startPendingBuilds` tries a job's builds
 * in this order, and `reserveSlot` gives a shared slot to the first of all jobs of the group in the same order. The two
 * must agree: otherwise the build that is tried first is refused the slot, the build that may have the slot is never
 * tried, and nothing of the group starts again. For an ORDER BY of a query whose table is named `build`.
 */
export const PENDING_ORDER = 'build.ordering, build.id';
