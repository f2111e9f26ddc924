const STORE = "scans";

/** A record that has no ID yet. Applies to each type of a union. */
type WithoutId<Item> = Item extends unknown ? Omit<Item, "id"> : never;

/** A store in the browser's IndexedDB. Once a write has resolved, its data survives even if the browser is killed. */
export class DeviceStore<Item extends { readonly id: number }> {
  private constructor(private readonly database: IDBDatabase) {}

  /**
   * Opens a store, creating it if it doesn't exist.
   * @param name the database's name. It must be unique within the browser origin, so each console needs its own name.
   */
  static async open<Item extends { readonly id: number }>(name: string): Promise<DeviceStore<Item>> {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(STORE, { keyPath: "id", autoIncrement: true });
    };
    const database = await awaitRequest(request);
    // A later release may need to upgrade the database while this page is still open.
    database.onversionchange = () => database.close();
    return new DeviceStore(database);
  }

  /** Resolves to all stored records, ordered by ID. */
  list(): Promise<Item[]> {
    return awaitRequest(this.database.transaction(STORE).objectStore(STORE).getAll());
  }

  /** Stores a record. Resolves to its ID. */
  async add(item: WithoutId<Item>): Promise<number> {
    let id = 0;
    await this.runChange((store) => {
      const request = store.add(item);
      request.onsuccess = () => {
        id = Number(request.result);
      };
    });
    return id;
  }

  async put(item: Item): Promise<void> {
    await this.runChange((store) => store.put(item));
  }

  async remove(id: number): Promise<void> {
    await this.runChange((store) => store.delete(id));
  }

  /**
   * Changes a record, unless it doesn't exist. No other page changes the record in between.
   * @param change returns the changed record, or `null` to remove it.
   * @returns whether the record existed.
   */
  async update(id: number, change: (item: Item) => Item | null): Promise<boolean> {
    let exists = false;
    await this.runChange((store) => {
      const request: IDBRequest<Item | undefined> = store.get(id);
      request.onsuccess = () => {
        if (request.result === undefined) return;
        exists = true;
        const changed = change(request.result);
        if (changed === null) store.delete(id);
        else store.put(changed);
      };
    });
    return exists;
  }

  /** Resolves once the change has been written to disk. */
  private runChange(change: (store: IDBObjectStore) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const transaction = this.database.transaction(STORE, "readwrite", { durability: "strict" });
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
      change(transaction.objectStore(STORE));
    });
  }
}

function awaitRequest<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
