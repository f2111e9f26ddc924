/** A scan that is to be sent. */
export interface QueuedScan {
  /** Its place in the order of the scans. */
  readonly id: number;
  readonly organizationId: string;
  /** The scanned code, or the pass that was found by it already. */
  readonly card: { readonly code: string } | { readonly passId: string };
  readonly count: number;
  /** Makes every try of it one and the same. */
  readonly idempotencyKey: string;
  /** In milliseconds since the Unix epoch, as the times below. */
  readonly scannedAt: number;
  /** The time when it was sent first; `null` before that. */
  readonly sentAt: number | null;
  /** The reason why it was not accepted; `null` while it waits. */
  readonly refusal: string | null;
}

const STORE = "scans";

/** Scans in the browser's own database, which are still there when the browser was killed. */
export class ScanStore {
  private constructor(private readonly database: IDBDatabase) {}

  /** @param name tells the tills of one host apart. */
  static async open(name: string): Promise<ScanStore> {
    const opening = indexedDB.open(name, 1);
    opening.onupgradeneeded = () => {
      opening.result.createObjectStore(STORE, { keyPath: "id", autoIncrement: true });
    };
    const database = await resultOf(opening);
    // A later release may want to change it while this page is still open.
    database.onversionchange = () => database.close();
    return new ScanStore(database);
  }

  /** Resolves to all scans, in their order. */
  all(): Promise<QueuedScan[]> {
    return resultOf(this.database.transaction(STORE).objectStore(STORE).getAll());
  }

  add(scan: Omit<QueuedScan, "id">): Promise<void> {
    return this.change((scans) => scans.add(scan));
  }

  put(scan: QueuedScan): Promise<void> {
    return this.change((scans) => scans.put(scan));
  }

  remove(id: number): Promise<void> {
    return this.change((scans) => scans.delete(id));
  }

  /** Resolves once it is on the disk. */
  private change(work: (scans: IDBObjectStore) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const transaction = this.database.transaction(STORE, "readwrite", { durability: "strict" });
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
      work(transaction.objectStore(STORE));
    });
  }
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
