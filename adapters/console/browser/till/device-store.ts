const STORE = "scans";

/** A store in the browser's IndexedDB, which survives a killed browser. */
export class DeviceStore<Kept extends { readonly id: number }> {
  private constructor(private readonly database: IDBDatabase) {}

  /** @param name distinguishes the stores, and the tills of one host. */
  static async open<Kept extends { readonly id: number }>(name: string): Promise<DeviceStore<Kept>> {
    const opening = indexedDB.open(name, 1);
    opening.onupgradeneeded = () => {
      opening.result.createObjectStore(STORE, { keyPath: "id", autoIncrement: true });
    };
    const database = await awaitRequest(opening);
    // A later release may want to change it while this page is still open.
    database.onversionchange = () => database.close();
    return new DeviceStore(database);
  }

  /** Resolves to all that is kept, in its order. */
  all(): Promise<Kept[]> {
    return awaitRequest(this.database.transaction(STORE).objectStore(STORE).getAll());
  }

  add(kept: Omit<Kept, "id">): Promise<void> {
    return this.change((store) => store.add(kept));
  }

  put(kept: Kept): Promise<void> {
    return this.change((store) => store.put(kept));
  }

  remove(id: number): Promise<void> {
    return this.change((store) => store.delete(id));
  }

  /** Resolves once it is on the disk. */
  private change(work: (store: IDBObjectStore) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const transaction = this.database.transaction(STORE, "readwrite", { durability: "strict" });
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
      work(transaction.objectStore(STORE));
    });
  }
}

function awaitRequest<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
